/**
 * A live session of a fake CLI, held by the program that speaks its protocol from the agent's side; never returns. Used
 * by the player: loads nothing of the library.
 */
import type { Performance } from "./instructions.ts"

const programs = new URL("../../fixtures/programs/live/", import.meta.url)

export const holdLive = async ({ peer, scripts }: NonNullable<Performance["live"]>): Promise<never> => {
  const { giveScripts } = await import(new URL("steps.mjs", programs).href)
  giveScripts(scripts)
  await import(new URL(`${peer}.mjs`, programs).href)
  return new Promise<never>(() => {})
}
