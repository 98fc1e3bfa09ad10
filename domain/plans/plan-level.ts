/** A level of plans. `level` is stored. A higher level opens everything that a lower one opens. */
type Row = {
  level: number
  name: string
  /** A badge beside the plan's name on its card. */
  badge: string | null
  /** Highlighted when the store has no plan yet. */
  isDefault: boolean
  /**
   * What it opens in addition to the level below, in fixed words (requirements 16.19). Null when
   * the level is not offered; it then has no name for merchants.
   */
  features: readonly string[] | null
}

/**
 * A new level needs one row here, its name in the rules of access.ts if it opens a feature, and its
 * plans in the database (requirements 6.3).
 */
const rows = [
  { level: 0, name: 'Grandfathered', badge: null, isDefault: false, features: null },
  {
    level: 1,
    name: 'Core',
    badge: null,
    isDefault: false,
    features: [
      'Template and theme testing',
      'Bayesian prediction',
      'Automated conversion tracking',
      'Device segmentation',
      'Local currencies',
      'Order export',
      'Email and chat support',
    ],
  },
  {
    level: 2,
    name: 'Advanced',
    badge: null,
    isDefault: true,
    features: [
      'Price testing (beta)',
      'Advanced audience segmentation',
      'Country segmentation',
      'Lift Assist',
      'GA4',
      'JavaScript API',
      'A conversion consultation',
    ],
  },
  {
    level: 3,
    name: 'Pro',
    badge: 'Pro',
    isDefault: false,
    features: [
      'An account manager',
      'Twice-monthly strategy sessions',
      'A storefront audit',
      'Guided onboarding',
      'A private channel',
      'Priority support',
    ],
  },
] as const satisfies readonly Row[]

export type PlanLevelName = (typeof rows)[number]['name']
type NamesOf<Rows extends readonly Row[]> = { readonly [At in keyof Rows]: Rows[At]['name'] }
export const planLevelNames = rows.map(({ name }) => name) as readonly string[] as NamesOf<
  typeof rows
>

/** The numbers of the levels, by name. */
export const planLevels = Object.fromEntries(rows.map(({ name, level }) => [name, level])) as {
  [Level in (typeof rows)[number] as Level['name']]: Level['level']
}

export const planLevelOf = (level: number): Row | undefined => rows.find(row => row.level === level)

/** The levels that merchants can choose, the lowest first. */
export const planTiers = rows.flatMap(row => (row.features ? [row] : []))
