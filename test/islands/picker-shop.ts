import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import type { ScriptConfig } from '../../domain/script/script-config.ts'

export type PickerShop = {
  origin: string
  /** The editor's origin in the signed configuration. */
  editor: string
  /** The headers of every page. */
  headers: Record<string, string>
  /** The HTML in the body of every page. */
  body: string
  /** Resolves when the body of a page may follow its head. */
  bodyComes: Promise<unknown>
  /** The number of pages served so far. */
  pages: number
  /** The preview link of an arm. */
  link: (arm: 0 | 1) => string
  close: () => Promise<void>
}

/**
 * Starts a shop on its own origin. Its pages have the preview script for the arm in the address.
 */
export async function openPickerShop(): Promise<PickerShop> {
  const { outputFiles } = await build({
    entryPoints: ['storefront/preview/preview.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    logLevel: 'silent',
  })
  const source = outputFiles[0]!.text
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost')
    if (pathname === '/preview.js') {
      const config: ScriptConfig = {
        shop: 'pots.example',
        collect: '',
        preview: '',
        tests: [{ id: 'draft', weights: [0.5, 0.5], pages: ['*'], changes: [] }],
        previewing: {
          arm: searchParams.get('arm') === '0' ? 0 : 1,
          title: 'Draft',
          armTitles: ['Control', 'Variant'],
          editor: shop.editor,
        },
      }
      return void response
        .writeHead(200, { 'content-type': 'text/javascript' })
        .end(source.replace('__TWINSHELF_CONFIG__', () => JSON.stringify(config)))
    }
    // The page /about has only the heading of the first page's elements.
    const body =
      pathname === '/about' ? '<main><h1 class="product__title">About</h1></main>' : shop.body
    shop.pages++
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...shop.headers })
      .write(
        `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Pots</title><link rel="icon" href="data:,"><script src="/preview.js?arm=${searchParams.get('arm') ?? 1}"></script></head>`,
      )
    void shop.bodyComes.then(() => response.end(`<body>${body}</body></html>`))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const shop: PickerShop = {
    origin,
    editor: '',
    headers: {},
    body: '',
    bodyComes: Promise.resolve(),
    pages: 0,
    link: arm => `${origin}/products/mug?arm=${arm}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return shop
}
