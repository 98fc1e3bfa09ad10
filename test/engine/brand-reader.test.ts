import { load } from 'cheerio'
import { chromium } from 'playwright'
import t from 'tap'
import { parseColour, type Rgba } from '../../engine/brand-reader-colours.ts'
import { Cascade, find } from '../../engine/brand-reader-cascade.ts'
import { parseSheet } from '../../engine/brand-reader-rules.ts'
import { fitsMedia, pixels, splitTop, withVariables } from '../../engine/brand-reader-values.ts'
import { findChromium } from '../../engine/chromium.ts'
import { looksIn, sameLook } from './looks.ts'

const path = findChromium(process.env['CHROMIUM_PATH'])

/** What stylesheets of real themes do that a careless reader gets wrong; a browser is the judge. */
const css = `
  @layer base, theme;
  @layer theme { .layered { color: rgb(1, 2, 3); padding: 3px } }
  @layer base { .layered { color: red; padding: 9px } #layered { color: teal !important } }
  :root { --ink: #123456; --ground: hsl(30 50% 90%); --gap: 1.5rem; --stack: "Work Sans", Georgia, serif; --loop: var(--loop); --empty-fallback: var(--none, ) }
  html { font-size: 18px }
  body { font: italic 500 1rem/1.5 var(--stack); color: var(--ink); background: var(--ground) }
  h1, h2 { font-weight: 300; font-style: normal }
  h1 { font-size: clamp(30px, 5vw, 56px) }
  h2 { font-size: 2em; line-height: 120% }
  .box { --ink: rebeccapurple; padding: calc(var(--gap) * 2) 10px 1em; border: 2px solid currentColor; border-radius: 1em / 2em; background: #fff url(x.png) no-repeat }
  .box p { color: var(--ink) }
  .box > p:not(:first-child) { color: rgba(0, 0, 0, .5); font-weight: bolder }
  #one.two { color: green } div#one { color: blue } .two.two { color: orange }
  .important { color: #0a0 !important } #important { color: #a00 }
  .loop { color: var(--loop); background-color: var(--nowhere, papayawhip) }
  .unknown { color: red; color: no-such-colour; background: tomato; background-color: no-such(1) }
  .mixed { background: color-mix(in srgb, #ff0000 25%, #0000ff); color: color-mix(in srgb, white, black 30%) }
  .hover:hover { color: red } .hover:not(:hover) { font-weight: 800 } .hover::before { content: 'x'; color: red }
  @media (max-width: 700px) { .media { color: red } } @media (min-width: 700px) and (max-width: 2000px) { .media { color: #00f } }
  @media print { .media { font-weight: 900 } } @media (width >= 1000px) { .media { padding-left: 7px } } @media not screen { .media { padding-left: 70px } }
  @supports (display: grid) { .supports { color: purple } }
  .nest { color: maroon; & .inner { color: olive; &.more { font-style: oblique } } .plain { color: navy } @media (min-width: 600px) { padding: 11px } > em { color: crimson } }
  [data-kind="a b"] { font-weight: 350 } a:is(.x, .y) { color: chocolate } :where(#strong) { color: pink } a { color: indigo; text-decoration: none }
  .larger { font-size: larger } .percent { font-size: 50% } .weight { font-weight: lighter } .inherit { color: inherit; font: inherit } .initial { color: initial; font-weight: unset }
  .hex8 { color: #11223380; background: #f0fa } .turn { color: hsl(.5turn 100% 25% / 50%) }
  .minmax { padding-left: max(10px, min(5%, 3rem)); border-top-left-radius: 50% }
  .sides { border-width: 1px 2px; border-style: solid; border-color: lime } .none { border: 0 } .gone { display: none } .bottom { border-bottom: 3px solid lime }
  button { font: inherit; border-radius: 4px }
  /* what cannot be read does not take the rest along */ .broken { color: ; ;; font-weight: 600 } @unknown x { } .after { color: sienna } }
  .tail { color: seagreen }`
const html = `<!doctype html><html><head><style>${css}</style></head><body><h1>One</h1><h2>Two</h2>
  <div class="box"><p>first</p><p>second <b>bold</b></p></div><div id="one" class="two">specific</div><p class="important" id="important">i</p><p class="loop">l</p>
  <p class="unknown">u</p><p class="mixed">m</p><a href="#" class="hover x">h</a><a>no link</a><p class="media">m</p><p class="supports">s</p>
  <div class="nest">n<span class="inner more">i</span><span class="plain">p</span><em>e</em></div><p data-kind="a b">d</p><p id="strong">w</p><p class="larger">l</p><p class="percent">p</p>
  <p class="weight">w</p><div style="color: red; font: 20px Arial"><p class="inherit">i</p><p class="initial">i</p></div><p class="hex8">h</p><p class="turn">t</p><p class="minmax">m</p>
  <p class="sides">s</p><p class="none">n</p><p class="gone">g</p><p class="bottom">b</p><button>b</button><input value="x"><small>s</small><p class="broken">b</p><p class="after">a</p><p class="tail">t</p>
  <p class="layered">l</p><p class="layered" id="layered">l</p><label style="--ink: teal; color: var(--ink) !important">own</label></body></html>`

t.test('the cascade is a browser’s', { skip: !path && 'no Chromium here' }, async t => {
  const browser = await chromium.launch({ executablePath: path!, args: ['--no-sandbox', '--disable-gpu'] })
  t.teardown(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1280, height: 960 } })
  await page.setContent(html)
  const seen = await looksIn(page)
  const $ = load(html)
  const cascade = new Cascade($, parseSheet($('style').text()).rules)
  const elements = find($, 'body, body *')
  t.equal(elements.length, seen.length)
  for (const [i, element] of elements.entries()) t.same(sameLook(cascade, element), seen[i], `${element.name} ${JSON.stringify(element.attribs)}`)
  // Every name of a colour that a browser knows.
  const names = ['aliceblue', 'rebeccapurple', 'darkslategrey', 'lightgoldenrodyellow', 'mediumspringgreen', 'papayawhip', 'yellowgreen', 'navajowhite', 'peru', 'transparent']
  const colours = await page.evaluate(list => list.map(name => {
    const probe = document.createElement('i')
    probe.style.color = name
    document.body.append(probe)
    return (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).map(Number)
  }), names)
  for (const [i, name] of names.entries()) t.same((parseColour(name) as Rgba).slice(0, colours[i]!.length), colours[i], name)
})

t.test('values', async t => {
  t.same(splitTop('a , b(c, d) , "e, f"', ','), ['a', 'b(c, d)', '"e, f"'])
  t.same(splitTop('  1px   solid rgb(1, 2, 3) ', ' '), ['1px', 'solid', 'rgb(1, 2, 3)'])
  const variables: Record<string, string> = { '--a': 'var(--b)', '--b': '2px', '--x': 'var(--y)', '--y': 'var(--x)', '--grow': 'var(--g2) var(--g2)', '--g2': 'var(--grow)' }
  const resolve = (text: string) => withVariables(text, name => variables[name])
  t.equal(resolve('calc(var(--a) + var(--none, var(--b)))'), 'calc(2px + 2px)')
  for (const text of ['var(--x)', 'var(--none)', 'var(--grow)', 'var(']) t.equal(resolve(text), null, text)
  const context = { fontSize: 20, rootSize: 10, percentOf: 200 }
  for (const [text, value] of [['2em', 40], ['2rem', 20], ['50%', 100], ['calc(1px + 2 * (3px - 1px))', 5], ['-4px', -4], ['0', 0], ['max(1px, 2vw)', 25.6], ['7', null], ['calc(1px', null], ['1qx', null], ['', null], ['auto', null]] as const)
    t.equal(pixels(text, context), value, text)
})

t.test('media queries of a desktop screen', async t => {
  for (const query of ['', 'all', 'screen', 'screen and (min-width: 700px)', 'print, screen', '(width > 600px)', '(600px <= width < 1300px)', 'not print', 'only screen and (max-width: 80em)', '(hover: hover)', '(scripting: enabled)'])
    t.ok(fitsMedia(query), query)
  for (const query of ['print', '(max-width: 700px)', 'not all', 'not screen', '(width > 1280px)', '(prefers-reduced-motion: reduce)', '(prefers-color-scheme: dark)', 'screen and (monochrome)', '(min-width: nonsense)'])
    t.notOk(fitsMedia(query), query)
})

t.test('no stylesheet is too strange to be read', async t => {
  for (const text of ['', '}}}}', '@media{', 'a{b', '\u0000', '@import', '@font-face{}', '.a{color:red;}'.repeat(50), '@layer;', ':not(:hover){color:red}', ':is(){}', 'a{&{&{color:red}}}']) t.ok(parseSheet(text), text.slice(0, 20))
  t.equal(parseSheet('@import "a.css"; @import url(b.css) screen; @import url("c.css") print;').imports.join(), 'a.css,b.css')
})

t.test('a page may nest deeper than the stack', async t => {
  const $ = load(`<style>body { background: #eee } div { color: teal }</style><main>${'<div>'.repeat(8_000)}<p>deep</p>`)
  const cascade = new Cascade($, parseSheet($('style').text()).rules)
  const [deep] = find($, 'p')
  t.same([cascade.look(deep!).colour, cascade.groundOf(deep!), cascade.isShown(deep!)], [[0, 128, 128, 1], [238, 238, 238, 1], true])
})
