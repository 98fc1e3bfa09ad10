/** The one shop of this platform. */
export const shop = {
  shop: 'fern-and-kiln.demo-shop.test',
  handle: 'fern-and-kiln',
  name: 'Fern & Kiln',
  currency: 'USD',
  timeZone: 'America/New_York',
  email: 'hello@fernandkiln.example',
  merchant: {
    id: 'staff-1',
    name: 'Mara Lindqvist',
    initials: 'ML',
    firstName: 'Mara',
    lastName: 'Lindqvist',
    email: 'mara@fernandkiln.example',
    phone: '+1 503 555 0142',
  },
} as const
