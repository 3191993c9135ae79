# Speed of the Ventus machine: see bench/machine/bench_machine.c.
exec "$(dirname "$CY")/bench_machine" --callgrind
