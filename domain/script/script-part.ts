/** Parts of the storefront script that only some tests need. */
export const scriptParts = [
  'elements',
  'prices',
  'redirect',
  'sent',
  'view',
  'restore',
  'leave',
  'pages',
  'always',
  'entry',
  'audience',
  'channel',
  'api',
  'manual',
  'speed',
  'log',
  'pageApis',
] as const
export type ScriptPart = (typeof scriptParts)[number]
