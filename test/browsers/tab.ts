/** An element to find on a page: its role and accessible name, or a selector. */
export type Target = { role: keyof typeof roles; name: string | RegExp } | string

/** What each browser's driver can do. `Element` is the driver's type for a handle of an element. */
export type Driver<Element = unknown> = {
  goto: (url: string) => Promise<void>
  /** −1 goes back in the tab's history; 0 reloads the page. */
  go: (steps: -1 | 0) => Promise<void>
  /** Evaluates an expression in the page, or in the frame at the selector. Awaits a promise. */
  evaluate: (expression: string, frame?: string) => Promise<unknown>
  /** The element that an expression returns, or null. */
  element: (expression: string, frame?: string) => Promise<Element | null>
  click: (element: Element, frame?: string) => Promise<void>
  type: (element: Element, text: string, frame?: string) => Promise<void>
  press: (key: Key, held: Held[]) => Promise<void>
  /**
   * Presses the mouse in the middle of the first element and releases it in the middle of the last.
   * Does not scroll. The topmost element gets the events.
   */
  drag: (elements: Element[], frame?: string) => Promise<void>
  /** Chooses a file in a file field. */
  upload: (element: Element, path: string) => Promise<void>
  /** A screenshot of the window, as PNG. */
  picture: () => Promise<Buffer>
}
export type Key = 'Escape' | 'Enter' | 'z'
export type Held = 'Control' | 'Shift'
/** A browser that is open. */
export type Browser = {
  version: string
  /** Opens a tab with no cookies or storage. Closes the tab before. */
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
/** The timeout of every action, in milliseconds. */
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
  /** A tab that acts inside the frame at the selector. */
  frame = (selector: string): Tab => new Tab(this.#driver, selector)

  /**
   * Runs the function in the page. It may use its arguments only, nothing from the scope around it.
   */
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

  /** Waits until the element is there, then clicks it. */
  click(target: Target): Promise<void> {
    return this.#act(target, element => this.#driver.click(element, this.#frame))
  }

  /** Replaces the text of a field. */
  async write(target: Target, text: string): Promise<void> {
    await this.#act(target, async element => {
      await this.#driver.evaluate(`${finder(target)}.value = ''`, this.#frame)
      await this.#driver.type(element, text, this.#frame)
    })
  }

  /**
   * Drags from one element to another, or clicks when there is one. The topmost element gets the
   * events.
   */
  drag(...targets: [Target, ...Target[]]): Promise<void> {
    return until(targets.map(nameOf).join(' and '), async () => {
      const elements: unknown[] = []
      // One at a time: WebDriver works in one frame at a time.
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

  /** Chooses a file in a file field. The field may be hidden. */
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

  /** Waits until the target is visible. */
  async see(target: Target): Promise<void> {
    await this.#act(target, async () => {})
  }

  /** Waits until the target is gone. */
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

/**
 * Waits until `holds` returns true. An error (the page is just being left) counts as false. After
 * the timeout throws an error whose cause is the last of them.
 */
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

/**
 * JavaScript that finds the first visible element by its aria-label, aria-labelledby, label or
 * text.
 */
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

/** Selects the option and fires the same events as when a person chooses it. */
function chooseIn(select: HTMLSelectElement, label: string): boolean {
  const option = [...select.options].find(each => each.label === label)
  if (!option) return false
  option.selected = true
  for (const type of ['input', 'change']) select.dispatchEvent(new Event(type, { bubbles: true }))
  return true
}
