import type { Page } from '@playwright/test'

/**
 * Moves a pointer on the page until all its islands are alive, also those that wait for a person:
 * before that the page is the one without scripts.
 */
export const islandsAlive = (page: Page) =>
  page.waitForFunction(() => {
    dispatchEvent(new Event('pointermove'))
    return !document.querySelector('[data-island]:not([data-alive])')
  })
