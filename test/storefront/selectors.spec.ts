import { readFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { build } from 'esbuild'

type Case = {
  name: string
  body: string
  target: string
  at?: number
  selector: string
  alike: string
}
const { cases } = JSON.parse(readFileSync('test/cases/selectors.json', 'utf8')) as { cases: Case[] }
type Offered = { selector: string; alike: string; isAlone: boolean; isAmong: boolean }
type PickerWindow = {
  picker: { selectorOf: (element: Element) => string; alikeOf: (element: Element) => string }
}

test('every document of the table gets its selectors, and each finds the right elements', async ({
  page,
}) => {
  const { outputFiles } = await build({
    entryPoints: ['storefront/picker/picker-selector.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'picker',
    logLevel: 'silent',
  })
  await page.setContent('<!doctype html><title>Table</title>')
  await page.addScriptTag({ content: outputFiles[0]!.text })
  const offer = (body: string, target: string, at: number) =>
    page.evaluate(
      ([body, target, at]) => {
        document.body.innerHTML = body
        const element = [...document.querySelectorAll(target)][at]!
        const { selectorOf, alikeOf } = (globalThis as unknown as PickerWindow).picker
        const [selector, alike] = [selectorOf(element), alikeOf(element)]
        const found = [...document.querySelectorAll(selector)]
        return {
          selector,
          alike,
          isAlone: found.length === 1 && found[0] === element,
          isAmong: alike === '' || [...document.querySelectorAll(alike)].includes(element),
        }
      },
      [body, target, at] as const,
    )
  const wanted: Record<string, Offered> = {},
    offered: Record<string, Offered> = {}
  for (const { name, body, target, at = 0, selector, alike } of cases) {
    wanted[name] = { selector, alike, isAlone: true, isAmong: true }
    offered[name] = await offer(
      body.replace('LONG', Array.from({ length: 300 }, (_, i) => `x-${i}9${i}`).join(' ')),
      target,
      at,
    )
  }
  expect(offered).toEqual(wanted)

  // 5,000 similar nodes.
  const large = await offer(`<main>${'<div><p><i>a</i></p></div>'.repeat(1700)}</main>`, 'i', 1234)
  expect(large).toMatchObject({ selector: 'main > div:nth-of-type(1235) > p > i', isAlone: true })
})
