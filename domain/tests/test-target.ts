import * as Type from 'typebox'
import { Maybe } from '../api/call.ts'
import type { FieldProblem } from '../problem.ts'
import { assignedTypes, type TemplateType, templateTypes } from '../themes/template.ts'
import type { TestKind } from './test-kind.ts'

/**
 * What an arm shows: a template of the live theme, a whole theme, or a page. Fields that do not
 * apply are null.
 */
export const TestTarget = Type.Object({
  templateType: Maybe(Type.Enum([...templateTypes])),
  /** '' is the type's own template. */
  suffix: Maybe(Type.String()),
  themeId: Maybe(Type.String()),
  url: Maybe(Type.String()),
  /** True when we made it for this test. We delete it with the test, unless it is applied. */
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

/**
 * The kind of target that each kind of test has; null for tests that change pages by script, code
 * or price.
 */
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

/** Whether two targets are the same template, theme or page. `isOurs` is ignored. */
export const isSameTarget = (a: TestTarget, b: TestTarget): boolean =>
  a.templateType === b.templateType &&
  a.suffix === b.suffix &&
  a.themeId === b.themeId &&
  a.url === b.url

/** The state of an arm in the shop now. Without a target nothing can be missing. */
export const changeStates = ['Unmodified', 'Modified', 'Removed'] as const
export type ChangeState = (typeof changeStates)[number]
export const templateKinds = ['Unsupported', 'Simple'] as const
export type TemplateKind = (typeof templateKinds)[number]
export const ArmState = Type.Object({
  target: Maybe(TestTarget),
  /** Whether everything that the arm needs is in the shop. */
  exists: Type.Boolean(),
  /**
   * What is missing, in words: "The live theme has no template product.story." Null when nothing
   * is.
   */
  message: Maybe(Type.String()),
  templateKind: Maybe(Type.Enum([...templateKinds])),
  /** Compared with the template when it was made or chosen. */
  changeState: Maybe(Type.Enum([...changeStates])),
  /**
   * Number of products, collections, pages, blogs or articles that are assigned to the template;
   * null when the type has no assignments.
   */
  assignedCount: Maybe(Type.Integer()),
})
export type ArmState = Type.Static<typeof ArmState>

/**
 * The message for a control that no page of the shop uses: no visitor would ever be in the test.
 */
export const notInUse =
  'No page of your shop uses this template. Choose one that is in use as the control.'
/**
 * Whether pages of the shop use a template: something is assigned to it, or the type has no
 * assignments and it is the type's own template.
 */
export const isInUse = ({
  target,
  assignedCount,
}: Pick<ArmState, 'target' | 'assignedCount'>): boolean =>
  assignedCount === null ? target?.suffix === '' : assignedCount > 0

/**
 * The message for a variant without a suffix. A page's address can only name a template by its
 * suffix; without one it shows the template that is assigned to it.
 */
export const ownIsNoVariant =
  'A type’s own template, without a suffix, cannot be the variant: no address shows it. Give its copy a name in your shop’s theme editor and choose that, or test it as the control.'

/** The message for a theme test whose control is not the shop's live theme. */
export const controlIsNotLive = (liveTheme: string): string =>
  `The control must be your live theme, which is ${liveTheme} now. Choose the variant’s theme again: your live theme then becomes the control.`
/** The message for a variant that is the shop's live theme. */
export const liveIsNoVariant =
  'This is your live theme, so it cannot be the variant. Choose another theme, or publish the control’s theme first.'

/**
 * What a draft's arms lack for a launch, each at its field. The engine adds problems that need a
 * look at the shop, for example whether the template exists.
 */
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
