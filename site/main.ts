/**
 * `npm run docs:site` builds the documentation site into `site/out`. `-- --serve` shows it afterwards, on this machine alone;
 * `-- --out <folder>` builds it elsewhere, and `-- --base /obbligato/` for a server that has it below that path.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSite } from './build.ts';
import { serveSite } from './serve.ts';

const USAGE = 'Usage: npm run docs:site -- [--serve] [--port <number>] [--out <folder>] [--base </path/>]';

function optionsOf(words: readonly string[]) {
  const { values } = parseArgs({
    args: [...words],
    options: {
      serve: { type: 'boolean', default: false },
      port: { type: 'string', default: '4173' },
      out: { type: 'string', default: join(import.meta.dirname, 'out') },
      base: { type: 'string', default: '/' },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port ${values.port} is no port`);
  if (!/^\/([^\s]*\/)?$/.test(values.base)) throw new Error('--base begins and ends with a slash');
  if (values.serve && values.base !== '/') throw new Error('--serve shows a site at /; leave --base out');
  return { ...values, port };
}

function optionsOrExit(): ReturnType<typeof optionsOf> {
  try {
    return optionsOf(process.argv.slice(2));
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}\n${USAGE}`);
    process.exit(2);
  }
}

const { serve, port, out, base } = optionsOrExit();
console.log(`building the site into ${out}`);
await buildSite({ out, base });
if (serve) {
  const { server, address } = await serveSite(out, port);
  console.log(`${address}  (Ctrl-C ends it)`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      server.close();
      server.closeAllConnections();
    });
}
