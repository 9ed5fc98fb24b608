/** An event for a place with little room: with its first images, and only the sizes of the others. */
import type { AgentEvent } from "./AgentEvent.ts"

/** `most`: characters of base64. */
export const imagesWithin = (event: AgentEvent, most: number): AgentEvent => {
  if (event.type !== "tool_result" || event.media === undefined) return event
  let room = most
  const media = event.media.map(({ data, ...image }) => {
    if (data === undefined || data.length > room) return image
    room -= data.length
    return { ...image, data }
  })
  return { ...event, media }
}
