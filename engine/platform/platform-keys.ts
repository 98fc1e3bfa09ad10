import { demoDefaults, demoKeys, demoSecrets } from './demo/demo-config.ts'

// The configuration of all platforms, so that engine/config.ts knows none of them.
export const platformKeys = demoKeys
export const platformDefaults = demoDefaults
/** Public secrets for a fresh clone. */
export const platformSecrets = demoSecrets
