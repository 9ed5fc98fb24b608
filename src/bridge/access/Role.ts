/** What a person may do: each role may do what those before it may. */

/** From the least on. */
export const roles = ["user", "approver", "admin", "owner"] as const

/** `user`: talks to the agent. `approver`: also answers its requests. `admin`: also chooses agent, model, mode, directory. */
export type Role = (typeof roles)[number]

export const isRole = (word: string): word is Role => roles.some((role) => role === word)

export const isAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed)
