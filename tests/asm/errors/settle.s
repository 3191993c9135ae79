# A size that depends on itself.
        .data
start:  .space  4 - (end - start)
end:
        .space  1 + (last - end) % 5
last:
