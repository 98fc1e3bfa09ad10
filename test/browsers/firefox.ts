import puppeteer, { type BrowserContext, type ElementHandle, type Frame, type Page } from 'puppeteer-core'
import { Tab, type Browser, type Driver } from './tab.ts'

/** Firefox by WebDriver BiDi. */
export async function openFirefox(executablePath: string): Promise<Browser> {
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true, defaultViewport: { width: 1440, height: 900 }, extraPrefsFirefox: { 'intl.locale.requested': 'en-US' } })
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
    goto: async url => void await page.goto(url),
    // Its own goBack() waits for a load that a page from the back-forward cache never has.
    go: async steps => { await (steps === 0 ? page.reload() : page.evaluate('history.back()')) },
    evaluate: async (expression, frame) => (await within(frame)).evaluate(expression),
    element: async (expression, frame) => (await (await within(frame)).evaluateHandle(expression)).asElement() as ElementHandle | null,
    click: element => element.click(),
    type: (element, text) => element.type(text),
    press: key => page.keyboard.press(key),
  }
}
