import * as fc from 'fast-check'

// One fixed seed: a failed run fails again, and a green main stays green. `npm run soak` uses new
// seeds.
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 20_261_121) })

export { fc }
