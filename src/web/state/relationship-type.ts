/** How one stands to somebody, as the API numbers it. */
export const relationshipType = {
  none: 0,
  outgoingRequest: 1,
  incomingRequest: 2,
  friends: 3,
  blocked: 5,
} as const
