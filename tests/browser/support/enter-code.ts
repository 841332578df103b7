import type { Page } from 'playwright-core';

/** Signs in with a one-time code as a person does. */
export async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('One-time code').fill(code);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
