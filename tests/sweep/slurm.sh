#!/bin/bash
# slurm.sh start DIRECTORY NODES | stop DIRECTORY: a real Slurm on this machine, as root: controller, node daemons, munge.
# All state is in the directory; `stop` ends exactly what `start` began.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: slurm.sh start DIRECTORY NODES | stop DIRECTORY" >&2; exit 2; }
mkdir -p "$2"
dir=$(cd "$2" && pwd)

stop() {
    [ -f "$dir/pids" ] || return 0
    tac "$dir/pids" | while read -r pid; do kill "$pid" 2>/dev/null || true; done
    for _ in $(seq 50); do
        alive=0
        while read -r pid; do kill -0 "$pid" 2>/dev/null && alive=1; done <"$dir/pids"
        [ $alive = 0 ] && break
        sleep 0.1
    done
    while read -r pid; do kill -KILL "$pid" 2>/dev/null || true; done <"$dir/pids"
    rm "$dir/pids"
}

background() { # runs a daemon in the foreground of its own process, and notes its id
    log=$1; shift
    "$@" >"$log" 2>&1 </dev/null &
    echo $! >>"$dir/pids"
}

start() {
    local nodes=$1 host port socket=$dir/munge/socket
    host=$(hostname -s)
    port=$((20000 + RANDOM % 20000))
    mkdir -p "$dir"/{state,log,munge}
    chmod 711 "$dir"
    chmod 755 "$dir/munge"
    head -c 1024 /dev/urandom >"$dir/munge/key"
    chmod 400 "$dir/munge/key"
    background "$dir/log/munged" munged --force --foreground --key-file="$dir/munge/key" --socket="$socket" \
        --pid-file="$dir/munge/pid" --log-file="$dir/munge/log" --seed-file="$dir/munge/seed"
    for _ in $(seq 100); do [ -S "$socket" ] && break; sleep 0.1; done
    {
        cat <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$socket
CredType=cred/munge
SlurmctldPort=$port
StateSaveLocation=$dir/state
SlurmctldPidFile=$dir/slurmctld.pid
SlurmctldLogFile=$dir/log/slurmctld
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmdSpoolDir=$dir/spool-%n
SlurmdLogFile=$dir/log/slurmd-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=1
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
CONF
        for n in $(seq "$nodes"); do
            echo "NodeName=n$n NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + n)) CPUs=$(nproc) State=UNKNOWN"
        done
        echo "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES"
    } >"$dir/slurm.conf"
    export SLURM_CONF=$dir/slurm.conf
    background "$dir/log/slurmctld.out" slurmctld -D
    for n in $(seq "$nodes"); do
        mkdir -p "$dir/spool-n$n"
        background "$dir/log/slurmd-n$n.out" slurmd -D -N "n$n"
        tail -n 1 "$dir/pids" >"$dir/node-n$n.pid"
    done
    for _ in $(seq 150); do
        [ "$(sinfo -h -o '%D %t' 2>/dev/null)" = "$nodes idle" ] && return 0
        sleep 0.2
    done
    echo "Slurm does not start:" >&2
    tail -n 5 "$dir"/log/* >&2
    stop
    return 1
}

case $1 in
start) start "$3" ;;
stop) stop ;;
*) exit 2 ;;
esac
