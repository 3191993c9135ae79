        nop
/* this comment
   never ends
