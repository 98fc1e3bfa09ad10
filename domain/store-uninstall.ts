/** Why a merchant leaves: category → display name, in the order they are offered. */
export const uninstallCategories = {
  price: 'It costs too much', traffic: 'We have too few visitors to test', results: 'Our tests found nothing', missing: 'Something we need is missing',
  difficult: 'It is hard to use', performance: 'It slows our shop down', bug: 'Something does not work', competitor: 'We use another product',
  temporary: 'We will be back later', closing: 'We are closing the shop', other: 'Something else',
} as const
export type UninstallCategory = keyof typeof uninstallCategories
