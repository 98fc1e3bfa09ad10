/** What is on a page to be found: a role and its name, as a person would say it, or a selector. */
export type Target = { role: keyof typeof roles; name: string | RegExp } | string

/** What each browser's driver can do; `Element` is its own handle of an element. */
export type Driver<Element = unknown> = {
  goto: (url: string) => Promise<void>
  /** A step back in the tab's history; 0 loads the page again. */
  go: (steps: -1 | 0) => Promise<void>
  /** An expression in the page, or in the frame at the selector. A promise is waited for. */
  evaluate: (expression: string, frame?: string) => Promise<unknown>
  /** The element that an expression gives; null when it gives none. */
  element: (expression: string, frame?: string) => Promise<Element | null>
  click: (element: Element, frame?: string) => Promise<void>
  type: (element: Element, text: string, frame?: string) => Promise<void>
  press: (key: Key, held: Held[]) => Promise<void>
  /** The mouse's button goes down in the middle of the first element and up in the middle of the last. Nothing is scrolled, and whatever lies on top takes it. */
  drag: (elements: Element[], frame?: string) => Promise<void>
  /** A file for a file field. */
  upload: (element: Element, path: string) => Promise<void>
  /** What the window shows, as PNG. */
  picture: () => Promise<Buffer>
}
export type Key = 'Escape' | 'Enter' | 'z'
export type Held = 'Control' | 'Shift'
/** A browser that is open. */
export type Browser = {
  version: string
  /** A tab of somebody who was never here. The one before is closed. */
  visit: () => Promise<Tab>
  close: () => Promise<void>
}

const roles = {
  button: 'button, summary, input[type=submit]',
  link: 'a[href]',
  heading: 'h1, h2, h3',
  dialog: 'dialog[open]',
  textbox: 'input, textarea',
  radio: 'input[type=radio]',
  checkbox: 'input[type=checkbox]',
  combobox: 'select',
  image: 'svg[role=img], canvas',
}
/** Longest that anything may take. Milliseconds. */
const timeout = 30_000

export class Tab {
  readonly #driver: Driver
  readonly #frame: string | undefined

  constructor(driver: Driver, frame?: string) {
    this.#driver = driver
    this.#frame = frame
  }

  goto = (url: string): Promise<void> => this.#driver.goto(url)
  back = (): Promise<void> => this.#driver.go(-1)
  reload = (): Promise<void> => this.#driver.go(0)
  press = (key: Key, ...held: Held[]): Promise<void> => this.#driver.press(key, held)
  picture = (): Promise<Buffer> => this.#driver.picture()
  /** What is in the frame at the selector. */
  frame = (selector: string): Tab => new Tab(this.#driver, selector)

  /** What the function gives in the page. It must need nothing from around it but what it is given. */
  async evaluate<Given extends unknown[], Answer>(
    act: (...given: Given) => Answer,
    ...given: Given
  ): Promise<Awaited<Answer>> {
    return (await this.#driver.evaluate(
      `(${String(act)})(...${JSON.stringify(given)})`,
      this.#frame,
    )) as Awaited<Answer>
  }

  url = (): Promise<string> => this.evaluate(() => location.href)
  has = async (target: Target): Promise<boolean> => (await this.#find(target)) !== null
  text = (selector: string): Promise<string | null> =>
    this.evaluate(
      selector => document.querySelector<HTMLElement>(selector)?.innerText ?? null,
      selector,
    )

  /** As soon as it is there and can be clicked. */
  click(target: Target): Promise<void> {
    return this.#act(target, element => this.#driver.click(element, this.#frame))
  }

  /** In place of what stands there. */
  async write(target: Target, text: string): Promise<void> {
    await this.#act(target, async element => {
      await this.#driver.evaluate(`${finder(target)}.value = ''`, this.#frame)
      await this.#driver.type(element, text, this.#frame)
    })
  }

  /** With the mouse, from one element to another, or a click on one alone: whatever lies on top takes it. */
  drag(...targets: [Target, ...Target[]]): Promise<void> {
    return until(targets.map(nameOf).join(' and '), async () => {
      const elements: unknown[] = []
      // One after the other: WebDriver is in one frame at a time.
      for (const target of targets) elements.push(await this.#find(target))
      if (elements.includes(null)) return false
      await this.#driver.drag(elements, this.#frame)
      return true
    })
  }

  async choose(target: Target, option: string): Promise<void> {
    await this.#act(target, async () => {
      const found = await this.#driver.evaluate(
        `(${String(chooseIn)})(${finder(target)}, ${JSON.stringify(option)})`,
        this.#frame,
      )
      if (!found) throw new Error(`There is no option ${option}.`)
    })
  }

  /** A file for a file field, which may itself be hidden. */
  async upload(selector: string, path: string): Promise<void> {
    await until(selector, async () => {
      const element = await this.#driver.element(
        `document.querySelector(${JSON.stringify(selector)})`,
        this.#frame,
      )
      if (element !== null) await this.#driver.upload(element, path)
      return element !== null
    })
  }

  /** Until it is there. */
  async see(target: Target): Promise<void> {
    await this.#act(target, async () => {})
  }

  /** Until it has gone. */
  async miss(target: Target): Promise<void> {
    await until(`no ${nameOf(target)}`, async () => !(await this.has(target)))
  }

  #find = (target: Target): Promise<unknown> => this.#driver.element(finder(target), this.#frame)

  async #act(target: Target, act: (element: unknown) => Promise<void>): Promise<void> {
    await until(nameOf(target), async () => {
      const element = await this.#find(target)
      if (element === null) return false
      await act(element)
      return true
    })
  }
}

/** Waits for a condition. What is thrown meanwhile (a page that is just being left) is a no; the last of it is told. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const late = AbortSignal.timeout(timeout)
  for (
    let cause: unknown;
    ;
    await new Promise(resolve => {
      setTimeout(resolve, 50)
    })
  ) {
    if (
      await holds().catch((error: unknown) => {
        cause = error
        return false
      })
    )
      return
    if (late.aborted) throw new Error(`Waited ${timeout / 1000} s for ${what}.`, { cause })
  }
}

const nameOf = (target: Target): string =>
  typeof target === 'string' ? target : `${target.role} ${String(target.name)}`

/** The first that can be seen: by its label, its own words, or what it is described by. */
function finder(target: Target): string {
  const [selector, source, flags] =
    typeof target === 'string' ? [target, '', ''] : [roles[target.role], ...patternOf(target.name)]
  return `(${String(firstOf)})(${JSON.stringify(selector)}, new RegExp(${JSON.stringify(source)}, ${JSON.stringify(flags)}))`
}
const patternOf = (name: string | RegExp): [source: string, flags: string] =>
  typeof name === 'string'
    ? [`^${name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}$`, '']
    : [name.source, name.flags]

function firstOf(selector: string, name: RegExp): Element | null {
  const nameOf = (element: HTMLElement): string => {
    const by = (element.getAttribute('aria-labelledby') ?? '')
      .split(' ')
      .map(id => document.getElementById(id)?.innerText ?? '')
      .join(' ')
    const { labels } = element as HTMLInputElement
    return (
      element.getAttribute('aria-label') ??
      (by.trim() || (labels?.[0]?.innerText ?? element.innerText))
    )
      .replace(/\s+/g, ' ')
      .trim()
  }
  const canBeSeen = (element: HTMLElement): boolean =>
    element.checkVisibility({ visibilityProperty: true }) && !element.closest('[aria-hidden=true]')
  return (
    [...document.querySelectorAll<HTMLElement>(selector)].find(
      element => canBeSeen(element) && (name.source === '(?:)' || name.test(nameOf(element))),
    ) ?? null
  )
}

/** As the browser does when a person chooses. */
function chooseIn(select: HTMLSelectElement, label: string): boolean {
  const option = [...select.options].find(each => each.label === label)
  if (!option) return false
  option.selected = true
  for (const type of ['input', 'change']) select.dispatchEvent(new Event(type, { bubbles: true }))
  return true
}
