/** The five goals, in their order (requirements 8.8). `kind` names the model of docs/statistics.md. */
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
  // The wire says per session, the label per visitor: the unit we randomise is the one we divide by.
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
