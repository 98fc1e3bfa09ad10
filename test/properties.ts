import * as fc from 'fast-check'

// One seed for everybody, so that a run that failed fails again and a green main stays green; `npm run soak` draws new ones.
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 20_261_121) })

export { fc }
