import puppeteer, {
  type BrowserContext,
  type ElementHandle,
  type Frame,
  type Page,
} from 'puppeteer-core'
import { Tab, type Browser, type Driver } from './tab.ts'

/** Starts Firefox and drives it by WebDriver BiDi. */
export async function openFirefox(executablePath: string): Promise<Browser> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    defaultViewport: { width: 1440, height: 900 },
    extraPrefsFirefox: { 'intl.locale.requested': 'en-US' },
  })
  let context: BrowserContext | undefined
  return {
    version: await browser.version(),
    visit: async () => {
      await context?.close()
      context = await browser.createBrowserContext()
      const page = await context.newPage()
      page.on('dialog', dialog => void dialog.accept())
      return new Tab(driverOf(page) as Driver)
    },
    close: () => browser.close(),
  }
}

function driverOf(page: Page): Driver<ElementHandle> {
  const within = async (frame?: string): Promise<Page | Frame> => {
    if (frame === undefined) return page
    const inner = await (await page.$(frame))?.contentFrame()
    if (!inner) throw new Error(`There is no frame ${frame}.`)
    return inner
  }
  return {
    goto: async url => void (await page.goto(url)),
    // Not goBack(): it waits for a load event, which a page from the back-forward cache never
    // fires.
    go: async steps => {
      await (steps === 0 ? page.reload() : page.evaluate('history.back()'))
    },
    evaluate: async (expression, frame) => (await within(frame)).evaluate(expression),
    element: async (expression, frame) =>
      (await (await within(frame)).evaluateHandle(expression)).asElement() as ElementHandle | null,
    click: element => element.click(),
    type: (element, text) => element.type(text),
    press: async (key, held) => {
      for (const each of held) await page.keyboard.down(each)
      await page.keyboard.press(key)
      for (const each of held) await page.keyboard.up(each)
    },
    drag: async (elements, frame) => {
      const places: Place[] = []
      for (const element of elements)
        places.push(
          placeIn(
            frame === undefined ? null : await (await page.$(frame))!.evaluate(boxOf),
            await element.evaluate(boxOf),
          ),
        )
      const [from, ...others] = places
      await page.mouse.move(from!.x, from!.y)
      await page.mouse.down()
      for (const { x, y } of others) await page.mouse.move(x, y, { steps: 5 })
      await page.mouse.up()
    },
    upload: (element, path) => (element as ElementHandle<HTMLInputElement>).uploadFile(path),
    picture: async () => Buffer.from(await page.screenshot()),
  }
}

type Place = { x: number; y: number }
type Box = Place & {
  width: number
  height: number
  /** Drawn size divided by layout size. */ scale: number
}
function boxOf(element: Element): Box {
  const { x, y, width, height } = element.getBoundingClientRect()
  return { x, y, width, height, scale: width / (element as HTMLElement).offsetWidth }
}
/**
 * The middle of an element in pixels of the window. A frame may be scaled, so its page's pixels are
 * not the window's.
 */
function placeIn(frame: Box | null, { x, y, width, height }: Box): Place {
  const { x: left, y: top, scale } = frame ?? { x: 0, y: 0, scale: 1 }
  return { x: left + (x + width / 2) * scale, y: top + (y + height / 2) * scale }
}
