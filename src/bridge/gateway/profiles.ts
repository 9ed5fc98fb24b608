/** Which tools an agent has in a chat: by the profile that was configured, and by the role of whom it works for. Pure. */

import type { GatewayProfile } from "./GatewayOptions.ts"

/** Each has what those before it have. */
export const gatewayProfiles = ["none", "reply", "messaging", "full"] as const satisfies ReadonlyArray<GatewayProfile>

/** As access has it; the tools tell owners from all others. */
export type GatewayRole = "user" | "approver" | "admin" | "owner"

/**
 * None has the name of a tool that a CLI has itself: Gemini leaves out an MCP tool whose own name is one that it excludes,
 * as it does `ask_user` in live sessions (Gemini CLI 0.61.0).
 */
const gatewayToolNames = [
  "send_message",
  "send_file",
  "ask_person",
  "list_targets",
  "schedule_add",
  "schedule_list",
  "schedule_remove"
] as const
export type GatewayToolName = (typeof gatewayToolNames)[number]

const leastProfile: Readonly<Record<GatewayToolName, GatewayProfile>> = {
  send_message: "reply",
  send_file: "reply",
  ask_person: "reply",
  list_targets: "messaging",
  schedule_add: "full",
  schedule_list: "full",
  schedule_remove: "full"
}

/** The part of a profile that a role may use. */
const profileFor = (profile: GatewayProfile, role: GatewayRole): GatewayProfile =>
  profile === "full" && role !== "owner" ? "messaging" : profile

const rank = (profile: GatewayProfile) => gatewayProfiles.indexOf(profile)

export const mayCall = (name: GatewayToolName, profile: GatewayProfile, role: GatewayRole): boolean =>
  rank(profileFor(profile, role)) >= rank(leastProfile[name])

/** Whether a message may go to another chat than the one the agent is in. */
export const maySendElsewhere = (profile: GatewayProfile, role: GatewayRole): boolean =>
  rank(profileFor(profile, role)) >= rank("messaging")
