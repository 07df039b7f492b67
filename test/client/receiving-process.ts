// A receiver in a process of its own, which tests kill: it listens on PORT, verifies each webhook with WEBHOOK_SECRET
// and appends its sequence to the file RECEIVED before it responds.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { verifyWebhook } from '@payments-service/client';

const { PORT, RECEIVED = '', WEBHOOK_SECRET = '' } = process.env;

createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const event = verifyWebhook(Buffer.concat(chunks), request.headers, WEBHOOK_SECRET);
  appendFileSync(RECEIVED, `${event.sequence}\n`);
  response.writeHead(204).end();
}).listen(Number(PORT), '127.0.0.1', () => process.send?.('ready'));
