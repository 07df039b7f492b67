// Checks that comments and the prose of pages end by column 120. Biome keeps code to it. Long lines may stay where a
// break would change their meaning: tables, samples and links of Markdown.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const limit = 120;
const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs', '*.md'], { encoding: 'utf8' }).trim().split('\n');
const isComment = /^\s*(\/\/|\/?\*)/;
const isExempt = /^\s*\||https?:\/\/\S{60}/;

/** Returns the numbers of the lines of prose that are too long. */
function tooLong(file) {
  const isPage = file.endsWith('.md');
  let isSample = false;
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      if (isPage && /^\s*```/.test(line)) isSample = !isSample;
      const isProse = isPage ? !isSample : isComment.test(line);
      return isProse && [...line].length > limit && !isExempt.test(line) ? index + 1 : [];
    });
}

const places = files
  .filter((file) => !file.includes('/generated/'))
  .flatMap((file) => tooLong(file).map((line) => `${file}:${line}`));
for (const place of places) console.error(`${place}: longer than ${limit} columns; wrap the text`);
if (places.length > 0) process.exit(1);
