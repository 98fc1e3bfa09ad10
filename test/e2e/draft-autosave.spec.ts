import { expect, test, type Page } from '@playwright/test'
import { paths } from '../../domain/paths.ts'
import { islandsAlive } from './pages/islands-alive.ts'
import { startStage, type Stage } from './stage.ts'
import { slowness } from '../slowness.ts'

let stage: Stage
test.beforeAll(async () => {
  // Two app processes: a draft must not depend on which one answers.
  stage = await startStage({ apps: 2 })
})
test.afterAll(() => stage.stop())

const state = (page: Page) => page.locator('.page-actions .saved')
const button = (page: Page, name: 'Undo' | 'Redo') =>
  page.getByRole('button', { name, exact: true })
const hypothesis = (page: Page) => page.getByRole('textbox', { name: 'Hypothesis' })

test('typed text is saved automatically; a second tab, a mistake, a lost connection and a reload lose nothing', async ({
  page,
  context,
}) => {
  // There are many steps, two tabs and connections that fail on purpose: a busy machine takes two
  // minutes.
  test.setTimeout(300_000 * slowness)
  await page.goto(await stage.address())
  const draft = await stage.call('createDraft', {
    body: { kind: 'PageElement', title: 'By itself' },
  })
  const stored = () => stage.call('draft', { params: { id: draft.id } })
  await page.goto(stage.app + paths.draft(draft.id))
  const other = await context.newPage()
  await other.goto(stage.app + paths.draft(draft.id))
  await islandsAlive(other)

  await hypothesis(page).fill('They hesitate.')
  await expect(state(page)).toHaveText(/^Saved \d\d:\d\d$/)
  await expect.poll(async () => (await stored()).hypothesisDescription).toBe('They hesitate.')
  await expect(
    page.locator('.steps').getByRole('button', { name: /Goal and hypothesis ?, done/ }),
    'the page updates what it says about the draft',
  ).toBeVisible()

  // The other tab has an old version: its text stays on the screen and is not saved until the
  // merchant chooses so.
  await hypothesis(other).fill('Mine.')
  await expect(state(other)).toContainText('yours is not saved')
  await expect(
    other.locator('.toast'),
    'edits from before another person’s version cannot be undone',
  ).toContainText('This draft was changed elsewhere.')
  await expect(button(other, 'Undo')).toHaveAttribute('aria-disabled', 'true')
  await other.getByRole('textbox', { name: 'Name of the test' }).fill('Typed on')
  expect((await stored()).hypothesisDescription).toBe('They hesitate.')
  await other.getByRole('button', { name: 'keep mine' }).click()
  await expect(state(other)).toHaveText(/^Saved \d/)
  expect(await stored()).toMatchObject({ title: 'Typed on', hypothesisDescription: 'Mine.' })
  await hypothesis(page).fill('Too late.')
  await page.getByRole('button', { name: 'Load theirs' }).click()
  await expect(hypothesis(page)).toHaveValue('Mine.')
  expect((await stored()).hypothesisDescription).toBe('Mine.')

  // A wrong value has a message at its field, and the focus stays in the field.
  const change = page.getByRole('textbox', { name: 'Smallest change worth finding' })
  await change.fill('0')
  await expect(page.locator('#minimumEffect-problem')).toHaveText('Write a number from 1 to 100.')
  await expect(state(page)).toContainText('1 field to fix')
  await expect(change).toBeFocused()
  await expect(change).toHaveAttribute('aria-invalid', 'true')
  await change.fill('20')
  await expect(state(page)).toHaveText(/^Saved \d/)
  await expect(page.locator('#minimumEffect-problem')).toHaveCount(0)
  expect((await stored()).minimumEffect).toBe(0.2)

  // The planner follows the fields. Its slider sets a field, which is saved as if typed.
  const planner = page.locator('.planner'),
    slider = planner.getByRole('slider', { name: 'Smallest change worth finding' })
  await expect(planner.getByText(/^At least 14 days, planned end/)).toBeVisible()
  await page.getByRole('textbox', { name: 'Visitors you expect a day' }).fill('1000')
  await expect(
    planner.getByText(/^28 days, planned end .* You expect about 1,000 visitors a day\.$/),
  ).toBeVisible()
  await slider.press('ArrowRight')
  await expect(change).toHaveValue('25')
  await expect(slider).toHaveAttribute('aria-valuetext', '25%, 21 days')
  await expect.poll(stored).toMatchObject({ expectedVisitors: 1000, minimumEffect: 0.25 })
  await expect(button(page, 'Undo')).toHaveAttribute(
    'title',
    'Undo: Smallest change worth finding (Ctrl+Z)',
  )
  await page.keyboard.press('Control+z')
  await expect(slider, 'the slider follows its field').toHaveAttribute(
    'aria-valuetext',
    '20%, 28 days',
  )
  await button(page, 'Redo').click()
  await expect(change).toHaveValue('25')
  await button(page, 'Undo').click()
  await expect(page.locator('#history [role=status]')).toHaveText(
    'Undone: Smallest change worth finding',
  )
  await expect.poll(stored).toMatchObject({ minimumEffect: 0.2 })

  // The stored text is typed again while another text is being saved.
  const { version } = await stored(),
    posted = Promise.withResolvers<() => void>()
  let isNext = true
  await page.route(
    url => url.pathname === paths.draft(draft.id),
    route => {
      // What the page says of the draft is fetched too, some time after an earlier save.
      if (!isNext || route.request().method() !== 'POST') return route.continue()
      isNext = false
      posted.resolve(() => void route.continue())
    },
  )
  await change.fill('35')
  const letGo = await posted.promise
  await change.fill('20')
  letGo()
  await expect.poll(stored).toMatchObject({ version: version + 2, minimumEffect: 0.2 })
  await page.unrouteAll({ behavior: 'wait' })

  await context.setOffline(true)
  await hypothesis(page).fill('Written in a tunnel.')
  await expect(state(page)).toContainText('Not saved: you are offline.')
  await context.setOffline(false)
  await expect(state(page)).toHaveText(/^Saved \d/)
  expect((await stored()).hypothesisDescription).toBe('Written in a tunnel.')

  // Reload before the automatic save starts.
  await hypothesis(page).fill('Reloaded at once.')
  await page.reload()
  await expect(hypothesis(page)).toHaveValue('Reloaded at once.')
  await expect(state(page)).toHaveText(/^Saved \d/)
  await other.close()

  // An edit can be undone on the next page too, from any step.
  await expect(button(page, 'Undo')).toHaveAttribute('title', 'Undo: Hypothesis (Ctrl+Z)')
  await page.getByRole('radio', { name: /Average order value/ }).check()
  await page.locator('.steps').getByRole('button', { name: 'Review' }).click()
  await expect(button(page, 'Undo')).toHaveAttribute(
    'title',
    'Undo: Goal that decides the test (Ctrl+Z)',
  )
  await button(page, 'Undo').click()
  await expect(page.getByRole('radio', { name: /Conversion rate/ })).toBeChecked()
  await expect(page.locator('.toast')).toHaveText('Undone: Goal that decides the test')
  await expect
    .poll(stored)
    .toMatchObject({ goal: 'ConversionRate', hypothesisDescription: 'Reloaded at once.' })

  // During a save one more word is typed, and the page is hidden or left. In both cases its own
  // save must not look like another person's.
  await whileSaving(page, 'And hidden.')
  await hypothesis(page).fill('Looked away.')
  await expect
    .poll(async () => (await stored()).hypothesisDescription)
    .toBe('Looked away. And hidden.')
  await expect(state(page)).toHaveText(/^Saved \d/)
  // The response of the running save arrives before the page is left, and the save that is sent on
  // leaving is lost: the next page sends it.
  await whileSaving(page, 'And left.')
  const loaded = page.waitForEvent('load')
  await hypothesis(page).fill('Gone on.')
  await loaded
  await expect(hypothesis(page)).toHaveValue('Gone on. And left.')

  // The merchant clicks Save and types more before the response. The form's request arrives after
  // that text was saved.
  const sent = page.waitForRequest(
    request => request.isNavigationRequest() && request.method() === 'POST',
  )
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  await page.route(
    url => url.pathname === paths.draft(draft.id),
    async route => {
      if (route.request().isNavigationRequest()) await held
      await route.continue()
    },
  )
  await hypothesis(page).press('Control+End')
  // Not by a locator's click: it would wait for the next page and take the focus.
  await page.getByRole('button', { name: 'Save', exact: true }).evaluate((save: HTMLElement) => {
    setTimeout(() => save.click())
  })
  await sent
  await page.keyboard.type(' Typed on.')
  await expect
    .poll(async () => (await stored()).hypothesisDescription)
    .toBe('Gone on. And left. Typed on.')
  const answered = page.waitForEvent('load')
  release()
  await answered
  await page.unrouteAll()
  await expect(hypothesis(page)).toHaveValue('Gone on. And left. Typed on.')
  await expect(state(page)).toHaveText(/^Saved \d/)

  // A wrong value does not stop other fields from being saved, and leaving the page asks first.
  await change.fill('0')
  await hypothesis(page).fill('Good beside bad.')
  // Poll: an earlier save may have only the wrong value, before the text was typed.
  await expect
    .poll(stored)
    .toMatchObject({ hypothesisDescription: 'Good beside bad.', minimumEffect: 0.2 })
  await expect(state(page)).toContainText('1 field to fix')
  const asked: string[] = []
  page.on('dialog', dialog => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  await page.reload()
  await expect(hypothesis(page)).toHaveValue('Good beside bad.')
  await expect(change).toHaveValue('20')
  expect(asked).toEqual(['beforeunload'])
  await page.reload()
  expect(asked, 'leaving does not ask when everything is saved').toHaveLength(1)
})

/**
 * During the next save this adds a word, and then hides the page ('And hidden.') or reloads it and
 * loses the last save ('And left.').
 */
const whileSaving = (page: Page, word: 'And hidden.' | 'And left.') =>
  page.evaluate(more => {
    const send = window.fetch
    window.fetch = (...given) => {
      const answer = send(...given)
      // What the page says of the draft is fetched too, some time after an earlier save.
      if (given[1]?.method !== 'POST') return answer
      window.fetch = send
      document.querySelector<HTMLTextAreaElement>('[name=hypothesisDescription]')!.value +=
        ` ${more}`
      if (more === 'And left.') {
        window.fetch = () => new Promise(() => {})
        dispatchEvent(new Event('beforeunload'))
        const saved = document.querySelector('.page-actions .saved')!
        new MutationObserver(() => {
          if (saved.textContent.startsWith('Saved ')) location.reload()
        }).observe(saved.parentElement!, { childList: true, subtree: true, characterData: true })
      } else {
        Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
        Reflect.deleteProperty(document, 'visibilityState')
      }
      return answer
    }
  }, word)

test('what is typed before the page’s scripts have loaded is saved when it is left', async ({
  page,
}) => {
  await page.goto(await stage.address())
  const draft = await stage.call('createDraft', { body: { kind: 'PageElement', title: 'Early' } })
  let load = () => {}
  const held = new Promise<void>(resolve => (load = resolve))
  await page.route(/\/built\/react-/, async route => {
    await held
    await route.continue().catch(() => {})
  })
  const guard = page.waitForResponse(/\/built\/early-leave-/)
  await page.goto(stage.app + paths.draft(draft.id), { waitUntil: 'commit' })
  await (await guard).finished()
  await hypothesis(page).fill('They hesitate.')
  await page.locator('#autosave:not([data-alive])').waitFor()
  const saved = page.waitForRequest(request => request.method() === 'POST')
  await page.getByRole('link', { name: 'Settings' }).click({ noWaitAfter: true })
  expect((await saved).postData()).toContain('They+hesitate.')
  load()
  // The link's own navigation would interrupt the next one.
  await page.waitForURL(/\/settings/, { waitUntil: 'commit' })
  await page.goto(stage.app + paths.draft(draft.id))
  await expect(hypothesis(page)).toHaveValue('They hesitate.')
  const stored = () => stage.call('draft', { params: { id: draft.id } })
  await expect.poll(async () => (await stored()).hypothesisDescription).toBe('They hesitate.')
})

test('a step that is only looked at is not saved', async ({ page }) => {
  await page.clock.install()
  await page.goto(await stage.address())
  const draft = await stage.call('createDraft', { body: { kind: 'PageElement', title: 'Seen' } })
  const posts: string[] = []
  page.on('request', request => {
    if (request.method() === 'POST') posts.push(request.postData() ?? '')
  })
  for (const step of ['goal', 'pages', 'changes', 'split', 'review']) {
    await page.goto(`${stage.app}${paths.draft(draft.id)}?step=${step}`)
    await islandsAlive(page)
    await page.clock.fastForward(5_000)
    expect(posts, step).toEqual([])
  }
})

test('a merchant creates an audience in a dialog on the draft', async ({ page }) => {
  await page.goto(await stage.address())
  const draft = await stage.call('createDraft', {
    body: { kind: 'PageElement', title: 'For some' },
  })
  await page.goto(`${stage.app}${paths.draft(draft.id)}?step=split`)
  await page.getByRole('button', { name: 'New audience' }).click()
  const dialog = page.getByRole('dialog', { name: 'New audience' })
  await dialog.getByRole('button', { name: 'Create audience' }).click()
  await expect(dialog.getByText('Give the audience a name.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Germans')
  await dialog.getByRole('button', { name: 'Add a condition: Country' }).click()
  await expect(dialog.getByRole('combobox', { name: 'Country', exact: true })).toBeFocused()
  await dialog.getByRole('combobox', { name: 'Country', exact: true }).selectOption('Germany')
  await dialog.getByRole('button', { name: 'Estimate audience size' }).click()
  await expect(dialog.locator('#reach')).not.toBeEmpty()
  await dialog.getByRole('button', { name: 'Create audience' }).click()
  await expect(page.getByRole('checkbox', { name: /Germans/ })).toBeChecked()
  await page.getByRole('radio', { name: 'Everyone' }).check()
  await expect(page.getByRole('checkbox', { name: /Germans/ })).toBeHidden()
  await button(page, 'Undo').click()
  await expect(page.getByRole('checkbox', { name: /Germans/ })).toBeChecked()
  await expect(button(page, 'Undo')).toHaveAttribute('title', /^Undo: Create audience/)
})

test('a box that is ticked during a search stays ticked', async ({ page }) => {
  await page.goto(await stage.address())
  const draft = await stage.call('createDraft', {
    body: { kind: 'Price', title: 'Ticked in haste' },
  })
  await page.goto(`${stage.app}${paths.draft(draft.id)}?step=products&add=`)
  const dialog = page.getByRole('dialog', { name: 'Add products' }),
    tick = (name: string) => dialog.getByRole('checkbox', { name, exact: true })
  await expect(dialog.getByRole('checkbox')).toHaveCount(10)
  const [known, found, unseen] = (await dialog
    .getByRole('checkbox')
    .evaluateAll(boxes => boxes.map(box => box.getAttribute('aria-label')!))) as [
    string,
    string,
    string,
  ]
  let answer = () => {},
    isAsked = false
  const held = new Promise<void>(resolve => {
    answer = resolve
  })
  await page.route(
    ({ searchParams }) => searchParams.get('search') === found,
    async route => {
      isAsked = true
      await held
      await route.continue()
    },
  )
  await tick(known).check()
  await dialog.getByRole('searchbox').fill(found)
  await expect.poll(() => isAsked).toBe(true)
  await tick(known).uncheck()
  await tick(found).check()
  await tick(unseen).check()
  answer()
  await expect(tick(unseen)).toBeHidden()
  await expect(tick(found)).toBeChecked()
  await dialog.getByRole('button', { name: 'Add 2 products' }).click()
  await expect(dialog).toBeHidden()
  await button(page, 'Undo').click()
  await expect(page.getByText('No products in this test yet')).toBeVisible()
  await button(page, 'Redo').click()
  await expect(page.getByRole('heading', { name: '2 products' })).toBeVisible()
  const { products } = await stage.call('testProducts', {
    params: { id: draft.id },
    query: { page: 0, limit: 10 },
  })
  expect(products.map(({ title }) => title).toSorted()).toEqual([found, unseen].toSorted())
})

test('a part of the page that fails while the page is left does not lead back to it', async ({
  page,
}) => {
  await page.goto(await stage.address())
  const draft = await stage.call('createDraft', {
    body: { kind: 'PageElement', title: 'On its way' },
  })
  await page.goto(`${stage.app}${paths.draft(draft.id)}?step=pages`)
  const part = Promise.withResolvers<void>(),
    form = Promise.withResolvers<void>()
  const asked: string[] = []
  await page.route(/\/matches/, async route => {
    asked.push('part')
    await part.promise
    await route.abort()
  })
  await page.getByLabel('Pages to test').fill('/products/*')
  await expect.poll(() => asked).toEqual(['part'])
  await expect(state(page)).toHaveText(/^Saved \d/)
  await page.route(/step=pages/, async route => {
    if (!route.request().isNavigationRequest()) return route.continue()
    asked.push('form')
    await form.promise
    return route.continue()
  })
  await page.locator('.steps').getByRole('button', { name: 'Changes' }).click({ noWaitAfter: true })
  await expect.poll(() => asked).toEqual(['part', 'form'])
  const failed = page.waitForEvent('requestfailed', request => request.url().includes('/matches'))
  part.resolve()
  await failed
  form.resolve()
  await expect(page.locator('.steps [aria-current=step]')).toContainText('Changes')
})

test('an act that comes before the code of undo can be undone', async ({ page }) => {
  await page.goto(await stage.address())
  const draft = await stage.call('createDraft', {
    body: { kind: 'Price', title: 'Added in haste' },
  })
  // The code comes after the act, and before the page that answers it.
  const acted = Promise.withResolvers<void>()
  await page.route(/\/built\/edit-watch-/, async route => {
    await acted.promise
    await route.continue().catch(() => {})
  })
  const watching = Promise.withResolvers<void>()
  page.on('console', message => {
    if (message.text() === 'watching') watching.resolve()
  })
  await page.addInitScript(() =>
    new MutationObserver(() => {
      if (document.querySelector('[data-undo=watching]')) console.debug('watching')
    }).observe(document, { subtree: true, attributeFilter: ['data-undo'] }),
  )
  await page.route(`**${paths.draft(draft.id)}**`, async route => {
    if (route.request().method() === 'POST') {
      acted.resolve()
      await watching.promise
    }
    await route.continue()
  })
  const remembers = page.waitForResponse(/\/built\/edit-act-/)
  await page.goto(`${stage.app}${paths.draft(draft.id)}?step=products&add=`)
  const dialog = page.getByRole('dialog', { name: 'Add products' })
  await dialog.getByRole('checkbox').first().check()
  await (await remembers).finished()
  await dialog.getByRole('button', { name: 'Add 1 product' }).click()
  await expect(page.getByRole('heading', { name: '1 product' })).toBeVisible()
  await expect(button(page, 'Undo')).toHaveAttribute('title', /^Undo: Add 1 product \(/)
  await button(page, 'Undo').click()
  await expect(page.getByText('No products in this test yet')).toBeVisible()
})
