/**
 * Either side of a test. On the wire to and from the storefront an arm is its index: 0 control, 1
 * variant.
 */
export const arms = ['control', 'variant'] as const
export type Arm = (typeof arms)[number]
export type ArmIndex = 0 | 1
/** Two figures, control first. */
export type PerArm<T> = [control: T, variant: T]
