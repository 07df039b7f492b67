// Loads a page anew when what it shows has changed elsewhere. The page works without it.
{
  const { watch, is } = document.querySelector('main').dataset;
  // A form that was sent leads to its own page. A reload would cancel that.
  let isLeaving = false;
  addEventListener('submit', () => {
    isLeaving = true;
  });
  const look = async () => {
    for (let failures = 0; failures < 5; ) {
      try {
        const response = await fetch(watch, { headers: { Prefer: 'wait=30' } });
        const { status } = await response.json();
        if (status !== is) return isLeaving || location.reload();
        failures = 0;
      } catch {
        failures += 1;
      }
      await new Promise((resume) => setTimeout(resume, 2000));
    }
  };
  look();
}
