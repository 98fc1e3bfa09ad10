import { createServer } from 'node:http'
import type { Browser } from '@playwright/test'
import { listening } from './listening.ts'
import type { BenchRow } from './row.ts'

const seconds = 10

/**
 * Measures the script's share of the main thread on a page of 5,000 elements that changes with
 * every frame: texts are rewritten, elements are replaced. The page itself measures the time of the
 * script's own run and of each call of its observers.
 */
export async function busyPageBench(browser: Browser, script: string): Promise<BenchRow> {
  const clock = `window.spent = 0; const Native = MutationObserver
    window.MutationObserver = class extends Native { constructor(act) { super((...args) => { const at = performance.now(); act(...args); spent += performance.now() - at }) } }
    window.began = performance.now()`
  const cards = Array.from(
    { length: 1000 },
    (_, i) =>
      `<article class="card"><a href="/products/p${i}"><h3>Product ${i}</h3><p class="price">$${i}.00</p></a></article>`,
  ).join('')
  const churn = `let n = 0; setInterval(() => {
    for (let i = 0; i < 40; i++) document.querySelectorAll('.price')[(n * 40 + i) % 900].textContent = '$' + n
    const card = document.querySelectorAll('.card')[n % 900]; card.replaceWith(card.cloneNode(true)); n++
  }, 16)`
  const server = createServer((request, response) => {
    const isPage = request.url === '/products/ours'
    response.writeHead(isPage ? 200 : 204, { 'content-type': 'text/html; charset=utf-8' })
    response.end(
      isPage &&
        `<!doctype html><html lang="en"><head><meta charset="utf-8"><script>${clock}</script><script>${script}</script><script>window.spent += performance.now() - began</script><title>Pots</title></head>
      <body><main><h1>Mug</h1><button class="product-form__submit">Add to cart</button></main>${cards}<script>${churn}</script></body></html>`,
    )
  })
  const { origin, close } = await listening(server)
  const page = await browser.newPage()
  try {
    await page.goto(`${origin}/products/ours`)
    const spent = await page.evaluate(
      wait =>
        new Promise<number>(done => {
          setTimeout(() => done((window as unknown as { spent: number }).spent), wait)
        }),
      seconds * 1000,
    )
    return {
      name: `script’s part of the main thread, 5,000 elements that keep changing, ${seconds} s`,
      value: spent / seconds / 10,
      unit: '%',
      target: '≤ 1',
    }
  } finally {
    await page.close()
    close()
  }
}
