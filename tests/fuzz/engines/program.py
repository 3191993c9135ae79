"""What a random program is, and what running one gives: the interface between generators, driver and reducer.

A kind of programs ("opencl", "assembly") is a module with

    KIND            its name
    generate(seed)  a Program that depends on the seed alone
    run(programs, configuration, folder)
                    runs them in one configuration, a process for many, and gives a list of Result in their order
    reduce(program, differs)
                    a smaller program for which differs(program) still holds, or the same one
"""
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Buffer:
    """Global memory.  It is compared afterwards, unless its contents may depend on the order of work-items."""
    name: str
    type: str               # of its elements, for reports: uint, float, ...
    data: bytes
    is_compared: bool = True


@dataclass(frozen=True)
class Image:
    """Of the channel order and type (CL_RGBA, CL_UNSIGNED_INT8, ...), which a kernel reads or writes."""
    name: str
    order: str
    type: str
    size: tuple             # one to three numbers
    data: bytes
    is_compared: bool = True


@dataclass(frozen=True)
class Sampler:
    name: str
    is_normalised: bool
    addressing: str         # CL_ADDRESS_CLAMP_TO_EDGE, ...
    filter: str             # CL_FILTER_NEAREST, ...


@dataclass(frozen=True)
class Scalar:
    """An argument by value."""
    type: str
    data: bytes


@dataclass(frozen=True)
class Local:
    """An argument in local memory."""
    bytes: int


@dataclass(frozen=True)
class Launch:
    kernel: str
    global_size: tuple
    local_size: tuple       # None: the implementation chooses
    offset: tuple = ()
    arguments: tuple = ()   # names of buffers, images and samplers; Scalar; Local


@dataclass
class Program:
    kind: str
    seed: int
    source: str
    launches: list
    objects: list           # Buffer, Image, Sampler
    generations: tuple = ("gen1", "gen2")  # that can run it
    options: str = ""       # of the compiler
    features: set = field(default_factory=set)
    is_portable: bool = False              # another OpenCL must compute the same bits
    rows: dict = field(default_factory=dict)   # of the instruction tables: how often the program has it
    units: list = field(default_factory=list)  # what the reducer may leave out: whatever its generator put in

    def with_source(self, source):
        return replace(self, source=source)


@dataclass
class Result:
    """What one program did in one configuration."""
    words: dict             # name of a compared object: its bytes, as hex, or a digest of them
    printed: str = ""       # by printf, sorted where the order of work-items is free
    fault: str = ""         # a launch that failed: what the host was told
    reports: str = ""       # false ones, of what is attached
    instructions: int = 0   # guest instructions executed; 0: not counted
    items: int = 0          # work-items
    translated: int = 0     # of these
    rows: dict = field(default_factory=dict)  # mnemonic: how often it was executed, where that is counted

    def outcome(self):
        """What must be the same in all configurations."""
        return (self.words, self.printed, self.fault)


def kind_of(name):
    """The module of a kind."""
    import importlib
    if name == "spirv":
        raise ValueError("random programs in SPIR-V are not written yet: a module spirv.py with generate() and run() is their place")
    if name not in ("opencl", "assembly"):
        raise ValueError(f"no kind of programs is called '{name}': opencl, assembly")
    return importlib.import_module(name)
