/** What stands before a colour profile in JPEG, PNG, WebP and AVIF. */
const CARRIERS = ['ICC_PROFILE', 'iCCP', 'ICCP', 'colr'];
/** ICC.1:2022, 10.16, `multiProcessElementsType`: as many steps as its writer likes, eight bytes each. */
const PROGRAM = 'mpet';

/** Whether an image may have a colour profile; the decoder has to be asked for it then. */
export function mayHaveProfile(bytes: Buffer): boolean {
  return CARRIERS.some((name) => bytes.includes(name));
}

/**
 * Whether a profile describes colours by a program instead of tables. The decoder runs one for 40,000 colours before
 * the first pixel, and cannot be stopped meanwhile: 400 bytes of PNG take it minutes.
 */
export function isProgram(profile: Buffer): boolean {
  return profile.includes(PROGRAM);
}
