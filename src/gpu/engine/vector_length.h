/* Vector registers whose length is the thread's, as SVE's is. */
#ifndef CY_GPU_ENGINE_VECTOR_LENGTH_H
#define CY_GPU_ENGINE_VECTOR_LENGTH_H

/* Of this thread now, in bytes; 0: the processor has none. */
unsigned cy_vector_bytes(void);

#endif
