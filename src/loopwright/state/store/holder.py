"""Who runs a run: a process, named so that a dead one is known to be dead and a reused pid is not taken for it."""

import os
import platform
import socket
from dataclasses import dataclass
from functools import cache

import psutil


@dataclass(frozen=True, slots=True)
class Holder:
    """A process on a host.

    Args:
        host: The host's name.
        boot: Minutes since the epoch at which the host was started; finer, it would jitter with the clock.
        pid: The process id.
        started: Seconds since the epoch at which the process was started.
    """

    host: str
    boot: int
    pid: int
    started: float

    @property
    def is_here(self) -> bool:
        """Whether it is a process of this host."""
        return self.host == this_process().host

    def is_gone(self) -> bool:
        """Whether the process surely no longer runs. On another host nobody can tell, and so the answer is no."""
        here = this_process()
        if self.host != here.host:
            return False
        if abs(self.boot - here.boot) > 1:
            return True
        try:
            process = psutil.Process(self.pid)
            return abs(process.create_time() - self.started) > 1.0 or process.status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True
        except psutil.AccessDenied:
            return False

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


def this_process() -> Holder:
    """The process that asks. Told anew after a fork, since the child is another process."""
    return _process(os.getpid())


@cache
def _process(pid: int) -> Holder:
    host = f"{socket.gethostname()} ({platform.system()})"
    return Holder(host, round(psutil.boot_time() / 60), pid, psutil.Process(pid).create_time())
