/**
 * The five goals, in their order (requirements 8.8). `kind` names the model in docs/statistics.md.
 */
export const goals = {
  ConversionRate: {
    short: 'CVR',
    label: 'Conversion rate',
    kind: 'binary',
    counted: 'Buyers',
    money: false,
  },
  AverageOrderValue: {
    short: 'AOV',
    label: 'Average order value',
    kind: 'ratio',
    counted: 'Orders',
    money: true,
  },
  // The name on the wire says "per session", but we divide by visitors, because we randomise
  // visitors. The label is right.
  RevenuePerSession: {
    short: 'RPV',
    label: 'Revenue per visitor',
    kind: 'mean',
    counted: 'Orders',
    money: true,
  },
  ClickThroughRate: {
    short: 'CTR',
    label: 'Clickthrough rate',
    kind: 'binary',
    counted: 'Clicked',
    money: false,
  },
  AddToCartRate: {
    short: 'ACR',
    label: 'Add-to-cart rate',
    kind: 'binary',
    counted: 'Added to cart',
    money: false,
  },
} as const satisfies Record<
  string,
  {
    short: string
    label: string
    kind: 'binary' | 'mean' | 'ratio'
    counted: string
    money: boolean
  }
>

export type Goal = keyof typeof goals
export const goalNames = Object.keys(goals) as [Goal, ...Goal[]]
