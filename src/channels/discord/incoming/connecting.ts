/** When to connect again, how, and when never; pure. Times are of a monotonic clock. */

/** The meaning of a close code: topics/opcodes-and-status-codes. */
export type CloseMeaning =
  | "resume"
  | "identify"
  /** Another attempt fails, too. */
  | { readonly problem: string; readonly help: string }

const portal = "https://discord.com/developers/applications"
const ends: ReadonlyMap<number, { readonly problem: string; readonly help: string }> = new Map([
  [
    4_004,
    {
      problem: "Discord refuses the token",
      help: `Take the bot's present token from ${portal} (Bot, Reset Token), and start again.`
    }
  ],
  [4_010, { problem: "Discord refuses the shard", help: "Report this: the channel uses no shards." }],
  [
    4_011,
    { problem: "the bot is in too many servers for one connection", help: "Use a bot of your own, in fewer servers." }
  ],
  [4_012, { problem: "Discord no longer has this version of its gateway", help: "Install a newer version of Reins." }],
  [4_013, { problem: "Discord does not know what the bot asks to hear", help: "Report this." }],
  [
    4_014,
    {
      problem: "the bot may not read messages: its message content intent is off",
      help: `Turn "Message Content Intent" on (${portal}, Bot), or set \`content = false\`: then only direct messages, mentions and replies to it are read.`
    }
  ]
])

export const meaningOf = (code: number | undefined): CloseMeaning => {
  const end = code === undefined ? undefined : ends.get(code)
  if (end !== undefined) return end
  return code === 4_003 || code === 4_007 || code === 4_009 ? "identify" : "resume"
}

/** Somewhat more than the 5 s: what was sent later can arrive sooner. */
const everyMs = 5_500
const hourMs = 3_600_000
const mostAnHour = 50
const afterwardsMs = 1_800_000

/** Discord resets the token of a bot that identifies more than 1,000 times a day, and takes one in 5 s. */
export const makeIdentifyPace = () => {
  let taken: ReadonlyArray<number> = []
  return {
    waitMs: (now: number): number => {
      taken = taken.filter((at) => at > now - hourMs)
      const last = taken.at(-1)
      if (last === undefined) return 0
      return Math.max(0, last + (taken.length >= mostAnHour ? afterwardsMs : everyMs) - now)
    },
    take: (now: number) => {
      taken = [...taken, now]
    }
  }
}
