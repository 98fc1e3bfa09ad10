/**
 * The member of staff of a fresh clone, as public as its secrets (demo-config.ts). Production never
 * creates it. `act`: what the audit log says.
 */
export const developmentStaff = {
  email: 'staff@twinshelf.test',
  name: 'Demo staff',
  password: 'shelf by shelf by shelf',
  act: 'Added for the demo',
}
