import { demoPlatform } from '../../../engine/platform/demo/demo.ts'
import { composed, type Platforms } from '../../../engine/platform/platforms.ts'
import { appKey, appSecret } from './small-shop.ts'

/** The demo platform alone, with no shop behind it: for tests that only send it things. */
export const smallPlatforms = (): Platforms =>
  composed([demoPlatform({ appKey, appSecret, shopOrigin: 'http://localhost:3002' })])
