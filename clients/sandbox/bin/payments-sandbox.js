#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`The sandbox needs Node.js 20.19 or newer, and this is ${process.versions.node} (${process.execPath}).`);
  process.exit(1);
}
await import('../dist/service/dev/sandbox/main.js');
