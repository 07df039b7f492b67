// Node.js reads this file before a program (`--require`): a server that names no address listens on this machine alone.
const { Server } = require('node:net');

const { listen } = Server.prototype;
Server.prototype.listen = function listenOnLoopback(port, ...rest) {
  if (typeof port !== 'number' || typeof rest[0] === 'string') return listen.call(this, port, ...rest);
  return listen.call(this, port, '127.0.0.1', ...rest);
};
