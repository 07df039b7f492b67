/** The errors of a route that charges before it responds. */
export const notCharged = {
  503: 'No processor is configured for live mode, or a part of the service is unreachable. Nothing was charged.',
};
