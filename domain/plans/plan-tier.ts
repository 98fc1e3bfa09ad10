import { planLevels } from './plan.ts'

/** What each level opens beside all that the level below it does, in fixed words (requirements 16.19). */
export const planTiers: readonly { name: string; level: number; features: readonly string[] }[] = [
  {
    name: 'Core',
    level: planLevels.Core,
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
    name: 'Advanced',
    level: planLevels.Advanced,
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
    name: 'Pro',
    level: planLevels.Pro,
    features: [
      'An account manager',
      'Twice-monthly strategy sessions',
      'A storefront audit',
      'Guided onboarding',
      'A private channel',
      'Priority support',
    ],
  },
]
