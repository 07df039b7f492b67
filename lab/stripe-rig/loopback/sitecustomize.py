# Python reads this file before a program when its folder is in PYTHONPATH. It keeps a server to this machine, and
# localstripe from writing all that it has to one file in /tmp at each request: it has a file in the folder of the test,
# or none.
import builtins
import os
import pickle
import socket

bind = socket.socket.bind
open_file = builtins.open


def bind_on_loopback(self, address):
    if address[0] in ("", "::", "0.0.0.0"):
        host = "::ffff:127.0.0.1" if self.family == socket.AF_INET6 else "127.0.0.1"
        address = (host, *address[1:])
    return bind(self, address)


def open_in_folder(file, *args, **kwargs):
    if file == "/tmp/localstripe.pickle":
        file = os.path.join(os.environ["RIG_FOLDER"], "localstripe.pickle") if keeps else os.devnull
    return open_file(file, *args, **kwargs)


keeps = os.environ.get("RIG_KEEPS") == "true"
socket.socket.bind = bind_on_loopback
builtins.open = open_in_folder
if not keeps:
    pickle.dump = lambda *args, **kwargs: None
