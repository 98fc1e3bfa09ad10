import { readFileSync } from 'node:fs'
import { expect, test, type Page } from '@playwright/test'
import { assign } from '../../domain/tests/assignment.ts'
import { stage } from '../../domain/events/event.ts'
import type { ScriptChange, ScriptTest } from '../../domain/script/script-config.ts'
import { cookieOf, inPieces, openShop, type Shop, type ShopOptions } from './shop.ts'

let shop: Shop
const open = async (options: ShopOptions) => {
  shop = await openShop(options)
}
test.afterEach(() => shop.close())

const change = (
  selector: string,
  kind: ScriptChange['kind'],
  value = '',
  name = '',
): ScriptChange => ({ selector, kind, value, name })
const variantTest = (...changes: ScriptChange[]): ScriptTest => ({
  id: 'test-element-1',
  weights: [0, 1],
  pages: ['/'],
  changes,
})
/** A script that records the text that each frame is about to paint. */
const watchFrames = `<script>frames = []; (function look() { for (const node of document.querySelectorAll('h1, section')) if (node.textContent) frames.push(node.textContent); requestAnimationFrame(look) })()</script>`
/**
 * Pauses the clock: time advances only when the test says so. The script looks for elements only
 * for some time, which may be too short on a slow machine.
 */
async function standStill(page: Page): Promise<void> {
  await page.clock.install({ time: '2026-11-21T12:00:00Z' })
  await page.clock.pauseAt('2026-11-21T12:00:10Z')
}
const framesOf = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { frames: string[] }).frames)

test('the script gives the arms of the golden vectors, as the engine does', async ({ page }) => {
  const cases = JSON.parse(readFileSync('test/cases/assignment.json', 'utf8')) as {
    bucket: [string, string, number][]
  }
  const [seed, visitor, place] = cases.bucket.find(
    ([id, value]) => id.length >= 8 && /^[\w-]{8,}$/.test(value),
  )!
  const visitors = [visitor, ...Array.from({ length: 60 }, (_, i) => `visitor-${i * 7919}`)]
  await open({
    pages: { '/': '<h1>Old</h1>' },
    tests: [
      { id: seed, weights: [place, 1 - place], pages: ['/'], changes: [] },
      { id: `${seed}x`, weights: [place + 0.0001, 1 - place - 0.0001], pages: ['/'], changes: [] },
      { id: 'test-even-1', weights: [0.5, 0.5], pages: ['/'], changes: [] },
      { id: 'test-uneven', weights: [0.9, 0.1], pages: ['/'], changes: [] },
    ],
  })
  await page.goto(`${shop.origin}/missing`)
  const armsOf = (id: string) =>
    page.evaluate(async id => {
      localStorage.setItem('_ts', JSON.stringify({ visitor: id, born: Date.now(), tests: {} }))
      const script = await (await fetch('/assets/twinshelf.js')).text()
      delete (window as { twinshelf?: unknown }).twinshelf
      history.replaceState(null, '', '/')
      new Function(script)()
      // It stores after the next paint.
      await new Promise(resolve => {
        requestAnimationFrame(() => setTimeout(() => setTimeout(resolve)))
      })
      return (
        JSON.parse(localStorage.getItem('_ts')!) as { tests: Record<string, [number, number]> }
      ).tests
    }, id)
  expect((await armsOf(visitor))[seed]![0]).toBe(1)
  for (const id of visitors) {
    const arms = await armsOf(id)
    expect(arms[`${seed}x`]![0]).toBe(assign(`${seed}x`, id, [place + 0.0001, 1 - place - 0.0001]))
    expect([arms['test-even-1']![0], arms['test-uneven']![0]]).toEqual([
      assign('test-even-1', id, [0.5, 0.5]),
      assign('test-uneven', id, [0.9, 0.1]),
    ])
  }
})

test('a visitor keeps the arm on every page, in a new tab, and when the browser loses either cookie or storage', async ({
  page,
  context,
}) => {
  await open({
    pages: { '/': '<h1>Old</h1>', '/b': '<h1>Old</h1>' },
    tests: [{ ...variantTest(change('h1', 'text', 'New')), weights: [0.5, 0.5], pages: ['*'] }],
  })
  await page.goto(shop.origin)
  const first = await page.textContent('h1')
  const visitor = async () =>
    (JSON.parse(decodeURIComponent((await cookieOf(context)).value)) as { visitor: string }).visitor
  const id = await visitor()
  await page.goto(`${shop.origin}/b`)
  expect(await page.textContent('h1')).toBe(first)
  const other = await context.newPage()
  await other.goto(shop.origin)
  expect(await other.textContent('h1')).toBe(first)
  await other.evaluate(() => localStorage.clear())
  await other.reload()
  expect([await other.textContent('h1'), await visitor()]).toEqual([first, id])
  await context.clearCookies()
  await other.reload()
  expect([await other.textContent('h1'), await visitor()]).toEqual([first, id])
  const { expires } = await cookieOf(context)
  expect(expires - Date.now() / 1000).toBeGreaterThan(364 * 86_400)
})

test('no frame shows the control, also when the page loads slowly', async ({ page }) => {
  await open({
    head: `${watchFrames}<style>h1 { background: rgb(255, 0, 0); height: 300px; }</style>`,
    tests: [
      variantTest(
        change('h1', 'text', 'New title'),
        change('h1', 'style', 'rgb(0, 128, 0)', 'background-color'),
        change('section', 'html', '<h2>New</h2> part'),
      ),
    ],
    pages: {
      '/': inPieces(
        () => shop,
        [
          '<body><p>Before</p>',
          '<h1>Old ',
          'tit',
          'le <em>and',
          ' more</em> at the end',
          '</h1><section>',
          '<h2>Old</h2>',
          '<div>old ',
          'part</div> of it',
          '</section>',
          '<p>After</p>',
        ],
        120,
      ),
    },
  })
  const session = await page.context().newCDPSession(page)
  const pictures: string[] = []
  session.on('Page.screencastFrame', ({ data, sessionId }) => {
    pictures.push(data)
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => {})
  })
  await session.send('Page.startScreencast', { format: 'png', everyNthFrame: 1 })
  await page.goto(shop.origin)
  await expect(page.locator('p').last()).toHaveText('After')
  // A picture is taken only after a change, so one of the whole page may be missing. Cause changes
  // until there is one.
  let below = 0
  await expect
    .poll(async () => {
      await page.evaluate(pixels => {
        document.body.style.paddingBottom = `${pixels}px`
      }, ++below)
      return coloured(page, pictures, [0, 128, 0])
    })
    .toBeGreaterThan(0)
  await session.send('Page.stopScreencast')
  expect([await page.innerHTML('h1'), await page.innerHTML('section')]).toEqual([
    'New title',
    '<h2>New</h2> part',
  ])
  await expect.poll(async () => (await framesOf(page)).length).toBeGreaterThan(5)
  expect([...new Set(await framesOf(page))].sort()).toEqual(['New part', 'New title'])
  expect(await coloured(page, pictures, [255, 0, 0])).toBe(0)
})

test('each kind of change is made', async ({ page }) => {
  await open({
    pages: {
      '/': `<h1>Old</h1><div id="html"><p>Old</p></div><p id="style">x</p><a id="attribute" href="/a">x</a><p id="class" class="kept">x</p><p id="hide">x</p><p id="remove">x</p>
      <p id="before">x</p><p id="after">x</p><picture><source srcset="/a.webp"><img id="image" src="/a.png" srcset="/a2.png 2x"></picture><div id="ground">x</div>`,
    },
    tests: [
      variantTest(
        change('h1', 'text', 'New <b>'),
        change('#html', 'html', '<b>New</b>'),
        change('#style', 'style', 'rgb(1, 2, 3) !important', 'color'),
        change('#attribute', 'attribute', '/b', 'href'),
        change('#class', 'class', ' one  two '),
        change('#hide', 'hide'),
        change('#remove', 'remove'),
        change('#before', 'insertBefore', '<i>1</i>'),
        change('#after', 'insertAfter', '<i>2</i>'),
        change('#image', 'image', '/b.png'),
        change('#ground', 'image', '/b.png'),
        change('p:has(', 'text', 'a selector that is none'),
      ),
    ],
  })
  await page.goto(shop.origin)
  expect(await page.textContent('h1')).toBe('New <b>')
  expect(await page.innerHTML('#html')).toBe('<b>New</b>')
  await expect(page.locator('#style')).toHaveCSS('color', 'rgb(1, 2, 3)')
  await expect(page.locator('#attribute')).toHaveAttribute('href', '/b')
  await expect(page.locator('#class')).toHaveAttribute('class', 'kept one two')
  await expect(page.locator('#hide')).toBeHidden()
  await expect(page.locator('#remove')).toHaveCount(0)
  expect(
    await page.evaluate(() => [
      document.querySelector('#before')!.previousElementSibling!.outerHTML,
      document.querySelector('#after')!.nextElementSibling!.outerHTML,
    ]),
  ).toEqual(['<i>1</i>', '<i>2</i>'])
  expect(await page.innerHTML('picture')).toBe(
    '<source srcset="/b.png"><img id="image" src="/b.png" srcset="/b.png">',
  )
  await expect(page.locator('#ground')).toHaveCSS('background-image', `url("${shop.origin}/b.png")`)
})

test('elements that appear late or are redrawn are changed too', async ({ page }) => {
  await open({
    pages: { '/': '<div id="box"><h1>Old</h1></div><button>Size 2</button>' },
    tests: [
      variantTest(
        change('h1', 'insertAfter', '<h1 class="more">More</h1>'),
        change('h1', 'text', 'New'),
      ),
    ],
  })
  await standStill(page)
  await page.goto(shop.origin)
  const box = page.locator('#box')
  await expect(box).toHaveText('NewNew')
  await page.evaluate(() => {
    document.querySelector('#box')!.innerHTML = '<h1>Old again</h1>'
  })
  await expect(box).toHaveText('NewNew')
  // Much later a theme redraws the section after a click.
  await page.clock.fastForward(60_000)
  await page.evaluate(() => {
    document.querySelector('button')!.onclick = () => {
      document.querySelector('#box')!.innerHTML = '<h1>Old once more</h1>'
    }
  })
  await page.click('button')
  await expect(box).toHaveText('NewNew')
})

test('a change that the page’s own code overwrites is made again: after hydration and after a theme’s reaction to a choice', async ({
  page,
}) => {
  await open({
    head: watchFrames,
    pages: {
      '/': `<h1>Old</h1><button>Add to cart</button><p id="html">Old</p><a href="/a">x</a><i class="kept">x</i><select><option>S</option><option>M</option><option>Sold out</option></select><script>
      const [button, link, mark, html] = ['button', 'a', 'i', '#html'].map(name => document.querySelector(name))
      document.querySelector('h1').firstChild.data = 'Old, hydrated'
      document.querySelector('select').onchange = ({ target: { value } }) => {
        button.disabled = value === 'Sold out'
        button.textContent = button.disabled ? value : 'Add to cart, ' + value
        link.href = '/' + value; link.style.cssText = 'color: red'; mark.className = 'kept ' + value; html.innerHTML = '<b>Old</b>'
      }</script>`,
    },
    tests: [
      variantTest(
        change('h1', 'text', 'Newer'),
        change('h1', 'text', 'New'),
        change('button', 'text', 'Buy it now'),
        change('a', 'attribute', '/b', 'href'),
        change('a', 'style', 'rgb(0, 128, 0)', 'color'),
        change('i', 'class', 'one two'),
        change('#html', 'html', '<b>New</b><u></u>'),
      ),
    ],
  })
  await page.goto(shop.origin)
  const seen = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('h1, button, #html, a, i')].map(node =>
        `${node.innerHTML} ${node.getAttribute('href') ?? ''}${(node as HTMLElement).style.color}${node.className}`.trim(),
      ),
    )
  expect(await seen()).toEqual([
    'New',
    'Buy it now',
    '<b>New</b><u></u>',
    'x /brgb(0, 128, 0)',
    'x kept one two',
  ])
  await expect.poll(async () => [...new Set(await framesOf(page))]).toEqual(['New'])
  // Other code fills an element that our change inserted. This is no overwriting, so it stays.
  await page.evaluate(() => {
    document.querySelector('u')!.textContent = 'filled'
  })
  await page.selectOption('select', 'M')
  await expect
    .poll(seen)
    .toEqual(['New', 'Buy it now', '<b>New</b><u></u>', 'x /brgb(0, 128, 0)', 'x kept M one two'])
  // A disabled button keeps the page's own text.
  await page.selectOption('select', 'Sold out')
  await expect(page.locator('button')).toHaveText('Sold out')
  await page.selectOption('select', 'S')
  await expect(page.locator('button')).toHaveText('Buy it now')
})

test('when the page’s own code always overwrites a change, the script gives up after some tries without an error', async ({
  page,
}) => {
  const fight = (
    name: string,
    over: string,
  ) => `<div id="${name}"><b>Old</b></div><script>{ let answers = 0; const box = document.getElementById('${name}'), own = () => { if (box.textContent !== 'Own') { document.body.dataset.${name} = ++answers; ${over} = 'Own' } }
    new MutationObserver(own).observe(box, { childList: true, subtree: true, characterData: true }); own() }</script>`
  await open({
    pages: {
      '/': `<h1>Old</h1>${fight('one', "box.querySelector('b').textContent")}${fight('all', "box.innerHTML = '<b></b>', box.firstChild.textContent")}`,
    },
    tests: [variantTest(change('div b', 'text', 'New'), change('h1', 'text', 'New'))],
  })
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  await page.goto(shop.origin)
  await expect(page.locator('#one')).toHaveText('Own')
  await expect(page.locator('h1')).toHaveText('New')
  const answers = () =>
    page.evaluate(() => [
      Number(document.body.dataset['one']),
      Number(document.body.dataset['all']),
    ])
  expect((await answers())[0], 'once and five more times').toBe(6)
  // Elements that are new each time are changed as often as the script looks.
  const [, all] = await answers()
  expect(all).toBeGreaterThan(100)
  expect(all).toBeLessThan(2000)
  await page.evaluate(
    () =>
      new Promise(done => {
        requestAnimationFrame(() => requestAnimationFrame(done))
      }),
  )
  expect(await answers()).toEqual([6, all])
  expect(errors).toEqual([])
})

test('code that replaces the element after every change cannot make the script loop', async ({
  page,
}) => {
  await open({
    pages: {
      '/': `<div id="box"><h1>Old</h1></div><script>redrawn = 0; new MutationObserver(() => { if (document.querySelector('h1').textContent !== 'Old') { redrawn++; box.innerHTML = '<h1>Old</h1>' } }).observe(box, { childList: true, subtree: true, characterData: true })</script>`,
    },
    tests: [variantTest(change('h1', 'text', 'New'))],
  })
  await standStill(page)
  await page.goto(shop.origin)
  await expect(page.locator('h1')).toHaveText('New')
  await page.evaluate(() => {
    document.querySelector('#box')!.innerHTML = '<h1>Mine</h1>'
  })
  const redrawn = await page.evaluate(() => (globalThis as unknown as { redrawn: number }).redrawn)
  expect(redrawn).toBeGreaterThan(10)
  expect(redrawn).toBeLessThan(1000)
})

test('applied changes are shown to everyone, also to visitors who refuse, below those of tests; nobody is counted for them', async ({
  page,
  context,
}) => {
  const always = [
    { ...change('h1', 'text', 'For all'), pages: ['/', '/b'] },
    { ...change('h1', 'insertAfter', '<i>More</i>'), pages: ['/'] },
  ]
  await open({
    tests: [variantTest(change('h1', 'text', 'Tested'))],
    always,
    head: `${watchFrames}<script src="/assets/twinshelf.js"></script>`,
    pages: { '/': '<h1>Old</h1><button>Go</button>', '/b': '<h1>Old</h1>', '/c': '<h1>Old</h1>' },
  })
  await page.goto(shop.origin)
  expect(await page.innerHTML('body')).toContain('<h1>Tested</h1><i>More</i><button>')
  // Applied changes and the test's changes do not treat each other as the page's own code, also
  // after several clicks.
  for (let i = 0; i < 7; i++) await page.click('button')
  // In the same task as a click: some time after a click the script stops looking.
  await page.evaluate(() => {
    document.querySelector('button')!.click()
    document.querySelector('h1')!.textContent = 'Old'
  })
  await expect(page.locator('h1')).toHaveText('Tested')
  for (const [path, text] of [
    ['/b', 'For all'],
    ['/c', 'Old'],
  ] as const) {
    await page.goto(shop.origin + path)
    await expect(page.locator('h1')).toHaveText(text)
  }
  await expect.poll(() => shop.events().filter(event => event.kind === 'view').length).toBe(3)
  expect(
    shop
      .events()
      .flatMap(event => event.tests ?? [])
      .filter(id => id !== 'test-element-1'),
  ).toEqual([])

  const refused = await (await context.browser()!.newContext()).newPage(),
    asked: string[] = []
  refused.on('request', request => asked.push(new URL(request.url()).pathname))
  await refused.addInitScript(() => {
    window.shopPrivacy = { analyticsAllowed: false }
  })
  await refused.goto(shop.origin)
  expect(await refused.innerHTML('body')).toContain('<h1>For all</h1><i>More</i><button>')
  await expect.poll(async () => [...new Set(await framesOf(refused))]).toEqual(['For all'])
  expect([
    await refused.evaluate(() => [Object.keys(localStorage), document.cookie]),
    [...new Set(asked)],
    shop.cart,
  ]).toEqual([[[], ''], ['/', '/assets/twinshelf.js'], []])
  await refused.context().close()
})

test('changes of one test with different pages are made only on their pages', async ({ page }) => {
  const element = variantTest(
    { ...change('h1', 'text', 'Product'), pages: ['/products/*'] },
    { ...change('h1', 'text', 'List'), pages: ['/collections/*', '/süß'] },
  )
  await open({
    tests: [{ ...element, pages: ['/products/*', '/collections/*', '/süß'] }],
    pages: {
      '/products/a': '<h1>Old</h1>',
      '/collections/a': '<h1>Old</h1>',
      '/s%C3%BC%C3%9F': '<h1>Old</h1>',
    },
  })
  for (const [path, text] of [
    ['/products/a', 'Product'],
    ['/collections/a?page=2', 'List'],
    ['/süß', 'List'],
  ] as const) {
    await page.goto(shop.origin + path)
    await expect(page.locator('h1')).toHaveText(text)
  }
})

test('the stages are counted: applied when the change is on the page, exposed equally in both arms', async ({
  page,
  context,
}) => {
  await open({
    pages: { '/': '<h1>Old</h1>', '/none': '<h2>Old</h2>' },
    tests: [
      variantTest(change('h1', 'text', 'New')),
      { ...variantTest(change('.nowhere', 'text', 'New')), id: 'test-element-2' },
      { ...variantTest(change('h1', 'text', 'Never')), id: 'test-element-3', weights: [1, 0] },
    ],
  })
  await page.goto(shop.origin)
  await expect.poll(() => shop.beacons.length).toBeGreaterThan(0)
  const all = stage.assigned | stage.applied | stage.exposed
  const stages = {
    'test-element-1': [1, all],
    'test-element-2': [1, stage.assigned | stage.exposed],
    'test-element-3': [0, all],
  }
  expect(shop.beacons[0]!.tests).toEqual(stages)
  expect(
    await page.evaluate(
      () => (JSON.parse(localStorage.getItem('_ts')!) as { tests: object }).tests,
    ),
    'the next page has the same stages',
  ).toEqual(stages)
  expect(
    shop
      .events()
      .map(event => event.kind)
      .sort(),
  ).toEqual(['exposure', 'exposure', 'exposure', 'view'])
  await (await context.newPage()).goto(shop.origin)
  await expect.poll(() => shop.events().filter(event => event.kind === 'view').length).toBe(2)
  expect(shop.events().filter(event => event.kind === 'exposure')).toHaveLength(3)
})

/** The number of pixels of one colour in all pictures. */
const coloured = (
  page: Page,
  pictures: string[],
  [red, green, blue]: [number, number, number],
): Promise<number> =>
  page.evaluate(
    async ({ pictures, red, green, blue }) => {
      let count = 0
      for (const data of pictures) {
        const picture = await createImageBitmap(
          await (await fetch(`data:image/png;base64,${data}`)).blob(),
        )
        const pen = new OffscreenCanvas(picture.width, picture.height).getContext('2d')!
        pen.drawImage(picture, 0, 0)
        const pixels = pen.getImageData(0, 0, picture.width, picture.height).data
        for (let i = 0; i < pixels.length; i += 4)
          if (pixels[i] === red && pixels[i + 1] === green && pixels[i + 2] === blue) count++
      }
      return count
    },
    { pictures, red, green, blue },
  )
