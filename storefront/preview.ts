import type { ScriptConfig } from '../domain/script-config.ts'
import { applyChanges } from './changes.ts'
import { isTested, pathOf } from './core.ts'
import { cover, guarded, on } from './guard.ts'
import { showBar } from './preview-bar.ts'
import { isAt, takeAlong, targetOf } from './redirect-url.ts'

/** The preview script, served by the engine for one signed token: one arm of one test whatever split and audience say, and nothing recorded. */
declare const __TWINSHELF_CONFIG__: ScriptConfig

function preview({ tests, previewing }: ScriptConfig): void {
  if (!previewing) return
  const here = new URL(location.href)
  for (const test of tests) {
    if (previewing.arm === 0 || !isTested(test, pathOf(here.href))) continue
    const target = test.to ? targetOf(test.to, here) : null
    if (target) takeAlong(target, here)
    if (target && !isAt(target, here)) {
      cover()
      return location.replace(target.href)
    }
    if (test.changes) applyChanges([{ test: test.id, changes: test.changes }], () => {})
  }
  if (document.body) showBar(previewing)
  else on('DOMContentLoaded', () => showBar(previewing))
}

guarded(preview)(__TWINSHELF_CONFIG__)
