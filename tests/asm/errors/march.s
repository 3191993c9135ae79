#! --march=vantus
        nop
