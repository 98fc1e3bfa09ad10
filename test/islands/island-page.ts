import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from '@playwright/test'
import { build } from 'esbuild'
import type { Islands, renderIsland } from '../../islands/render.ts'

const built = 'public/built/app'

export type IslandOf = { [N in keyof Islands]: { name: N; props: Islands[N] } }[keyof Islands]
/**
 * Serves a minimal page with one island in a form, with a content security policy like the app's.
 */
export type IslandPages = {
  /**
   * Opens a page and waits for its island, if the browser runs scripts. `until` 'commit' returns
   * before the scripts have loaded.
   */
  open: <N extends keyof Islands>(
    page: Page,
    name: N,
    props: Islands[N],
    until?: 'load' | 'commit',
  ) => Promise<void>
  /** Opens a page with several islands in one form. */
  openAll: (page: Page, islands: IslandOf[], until?: 'load' | 'commit') => Promise<void>
  origin: string
  close: () => Promise<void>
}

export async function serveIslands(): Promise<IslandPages> {
  const render = await loadRenderer()
  const scripts = await bundleBoot()
  // The shipped stylesheet, so that a rule that the build removes by mistake fails a test.
  const manifest = JSON.parse(readFileSync(`${built}/manifest.json`, 'utf8')) as Record<
    string,
    string
  >
  const sheets = Object.keys(manifest)
    .filter(name => name.endsWith('.css'))
    .sort((a, b) => Number(b === 'app.css') - Number(a === 'app.css'))
  const style = sheets.map(name => readFileSync(`${built}/${manifest[name]}`, 'utf8')).join('\n')
  let html = ''
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost')
    const script = scripts.get(pathname)
    response.setHeader(
      'content-security-policy',
      "default-src 'self'; img-src 'self' data:; frame-src *; object-src 'none'; base-uri 'none'",
    )
    response.setHeader(
      'content-type',
      pathname === '/'
        ? 'text/html; charset=utf-8'
        : pathname === '/app.css'
          ? 'text/css'
          : 'text/javascript',
    )
    response.end(pathname === '/' ? html : pathname === '/app.css' ? style : (script ?? ''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const origin = `http://127.0.0.1:${port}`
  const openAll = async (
    page: Page,
    islands: IslandOf[],
    until: 'load' | 'commit' = 'load',
  ): Promise<void> => {
    const drawn = islands.map(({ name, props }, i) => {
      const id = i === 0 ? 'it' : `it-${i}`
      return `<div id="${id}" data-island="${name}" hx-ignore>${render(name, props, id)}</div><script type="application/json">${JSON.stringify(props).replace(/</g, '\\u003c')}</script>`
    })
    // Forms are never inside each other.
    const wrapped = drawn.some(text => text.includes('<form'))
      ? drawn.join('')
      : `<form id="form" action="/">${drawn.join('')}</form>`
    html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${islands[0]!.name}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/app.css"></head>
<body><main>${wrapped}</main><noscript><i id="no-script"></i></noscript><script type="module" src="/boot.js"></script></body></html>`
    await page.goto(`${origin}/`, { waitUntil: until })
    if (until === 'load')
      await page.locator('[data-alive], #no-script').first().waitFor({ state: 'attached' })
  }
  return {
    origin,
    openAll,
    open: (page, name, props, until) => openAll(page, [{ name, props } as IslandOf], until),
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Bundles the server's renderer separately, because Playwright compiles JSX in its own way. */
async function loadRenderer(): Promise<typeof renderIsland> {
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-islands-'))
  const outfile = join(folder, 'render.mjs')
  await build({
    entryPoints: ['islands/render.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    // React's server part requires packages of Node.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
    outfile,
    logLevel: 'silent',
  })
  const module = (await import(pathToFileURL(outfile).href)) as {
    renderIsland: typeof renderIsland
  }
  rmSync(folder, { recursive: true })
  return module.renderIsland
}

async function bundleBoot(): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    stdin: {
      contents: "import { boot } from './boot.ts'; void boot()",
      resolveDir: 'islands',
    },
    entryNames: 'boot',
    bundle: true,
    splitting: true,
    format: 'esm',
    write: false,
    outdir: '/',
    define: { 'process.env.NODE_ENV': '"development"' },
    logLevel: 'silent',
  })
  return new Map(outputFiles.map(file => [file.path, file.text]))
}

/** Collects a page's errors and warnings: failed hydration, refused styles, thrown errors. */
export function complaints(page: Page): string[] {
  const found: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') found.push(message.text())
  })
  page.on('pageerror', error => found.push(error.message))
  return found
}
