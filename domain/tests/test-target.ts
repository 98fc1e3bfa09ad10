import * as Type from 'typebox'
import { Maybe } from '../api/call.ts'
import type { FieldProblem } from '../problem.ts'
import { assignedTypes, type TemplateType, templateTypes } from '../themes/template.ts'
import type { TestKind } from './test-kind.ts'

/** What an arm shows: a template of the live theme, a whole theme, or a page. What does not apply is null. */
export const TestTarget = Type.Object({
  templateType: Maybe(Type.Enum([...templateTypes])),
  /** '' is the type's own template. */
  suffix: Maybe(Type.String()),
  themeId: Maybe(Type.String()),
  url: Maybe(Type.String()),
  /** Made by us for this test: it goes when the test goes, unless it is applied. */
  isOurs: Type.Boolean(),
})
export type TestTarget = Type.Static<typeof TestTarget>

const nothing: TestTarget = {
  templateType: null,
  suffix: null,
  themeId: null,
  url: null,
  isOurs: false,
}
export const templateTarget = (
  templateType: TemplateType,
  suffix: string,
  isOurs = false,
): TestTarget => ({ ...nothing, templateType, suffix, isOurs })
export const themeTarget = (themeId: string): TestTarget => ({ ...nothing, themeId })
export const urlTarget = (url: string): TestTarget => ({ ...nothing, url })

/** What kinds of test have for targets; the others change pages by script, code or price. */
export type TargetKind = 'template' | 'theme' | 'url'
const targets: Record<TestKind, TargetKind | null> = {
  Theme: 'theme',
  Template: 'template',
  PageContent: 'template',
  UrlRedirect: 'url',
  PageElement: null,
  Api: null,
  Price: null,
}
export const targetKind = (kind: TestKind): TargetKind | null => targets[kind]

/** The same template, theme or page, whoever made it. */
export const isSameTarget = (a: TestTarget, b: TestTarget): boolean =>
  a.templateType === b.templateType &&
  a.suffix === b.suffix &&
  a.themeId === b.themeId &&
  a.url === b.url

/** Where an arm stands in the shop now. Without a target there is nothing to be missing. */
export const changeStates = ['Unmodified', 'Modified', 'Removed'] as const
export type ChangeState = (typeof changeStates)[number]
export const templateKinds = ['Unsupported', 'Simple'] as const
export type TemplateKind = (typeof templateKinds)[number]
export const ArmState = Type.Object({
  target: Maybe(TestTarget),
  /** Whether what the arm needs is there. */
  exists: Type.Boolean(),
  /** In words when it is not: "The live theme has no template product.story." */
  message: Maybe(Type.String()),
  templateKind: Maybe(Type.Enum([...templateKinds])),
  /** Against the template as it was when it was made or chosen. */
  changeState: Maybe(Type.Enum([...changeStates])),
  /** Products, collections, pages, blogs or articles that are assigned to the template; null where none can be. */
  assignedCount: Maybe(Type.Integer()),
})
export type ArmState = Type.Static<typeof ArmState>

/** Of a template that no page of the shop is drawn with: as the control, nobody would ever be in the test. */
export const notInUse =
  'No page of your shop uses this template. Choose one that is in use as the control.'
/** Whether pages are drawn with a template: what can be assigned is assigned to it; of the others it is the type's own. */
export const isInUse = ({
  target,
  assignedCount,
}: Pick<ArmState, 'target' | 'assignedCount'>): boolean =>
  assignedCount === null ? target?.suffix === '' : assignedCount > 0

/** A page's address can name a template by its suffix alone: "the page's own" is what it shows without one. */
export const ownIsNoVariant =
  'A type’s own template, without a suffix, cannot be the variant: no address shows it. Give its copy a name in your shop’s theme editor and choose that, or test it as the control.'

/** What a draft's arms lack for a launch, each at its field. What only the shop can tell (is it there?) the engine adds. */
export function targetProblems({
  kind,
  control,
  variant,
  resourceIds,
}: {
  kind: TestKind
  control: TestTarget | null
  variant: TestTarget | null
  resourceIds: readonly string[]
}): FieldProblem[] {
  const wanted = targets[kind]
  // A redirect's two pages are fields of the draft itself.
  if (wanted === null || wanted === 'url') return []
  const problems: FieldProblem[] = []
  const at = (field: string, message: string) => problems.push({ field, message })
  const isOnePage = kind === 'PageContent'
  if (!control)
    at(
      'control',
      wanted === 'theme'
        ? 'Choose your live theme as the control.'
        : isOnePage
          ? 'Choose the page to test.'
          : 'Choose the template to test.',
    )
  if (!variant)
    at(
      'variant',
      wanted === 'theme'
        ? 'Choose the variant’s theme.'
        : isOnePage
          ? 'Create the variant: a copy for this page.'
          : 'Create the variant, or choose its template.',
    )
  if (variant?.templateType && !variant.suffix) at('variant', ownIsNoVariant)
  const isAssigned =
    control?.templateType && (assignedTypes as readonly string[]).includes(control.templateType)
  if (isOnePage && isAssigned && resourceIds.length !== 1)
    at('resourceIds', 'Choose the one page whose content is tested.')
  return problems
}
