import { patterns, substrings } from './vocabulary.js';

/** In the scripts of challenges and nowhere else. */
export const CHALLENGE_SCRIPTS = substrings({
  _cf_chl_opt: 'window._cf_chl_opt={cvId:"3"}',
  '/cdn-cgi/challenge-platform/h/b/orchestrate/': '/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1',
  '/cdn-cgi/challenge-platform/h/g/orchestrate/': '/cdn-cgi/challenge-platform/h/g/orchestrate/jsch/v1',
  'captcha-delivery.com': 'https://ct.captcha-delivery.com/c.js',
  gokuProps: 'window.gokuProps = {"key":"AQID"}',
  sucuri_cloudproxy_js: "sucuri_cloudproxy_js='';",
  '/.well-known/ddos-guard/js-challenge': '/.well-known/ddos-guard/js-challenge/index.js',
  '/.within.website/x/cmd/anubis/': '/.within.website/x/cmd/anubis/static/js/main.mjs',
  '/sec_cpt/': '/sec_cpt/sec-cpt-rc.js',
  'bm-verify': 'xhr.send("bm-verify=AAQ")',
});

/** In the scripts of guarded sites, on challenges and ordinary pages alike. */
export const GUARD_SCRIPTS = substrings({
  '/cdn-cgi/challenge-platform/': '/cdn-cgi/challenge-platform/scripts/jsd/main.js',
  _Incapsula_Resource: '/_Incapsula_Resource?SWJIYLWA=719d',
  'px-captcha': 'https://client.px-captcha.example/px-captcha.js',
  awsWafCookieDomainList: 'window.awsWafCookieDomainList=["site.example"]',
  '/.well-known/ddos-guard/': '/.well-known/ddos-guard/check.js',
  KPSDK: 'window.KPSDK={}',
});

/** How challenges speak to the visitor; straight apostrophes. Not their subjects, which ordinary texts have, too. */
export const CHALLENGE_TEXTS = patterns(
  {
    'permission to access': 'You don\'t have permission to access "http://site.example/a" on this server.',
    'not a (?:ro)?bot': 'Press the button to show that you are not a robot',
    "verify(?:ing)? (?:that )?you(?:'re| are)": 'We must verify that you are a person',
    '(?:verify|confirm) your identity': 'Please verify your identity to go on',
    '(?:solve|complete) (?:this|the) (?:captcha|security check)': 'Please complete the security check',
    'checking your browser': 'Checking your browser before you go on',
    '(?:unusual|suspicious) (?:traffic|activity) (?:from|in) your':
      'There was unusual traffic from your network',
    'enable (?:javascript|js|cookies)': 'Please enable cookies to go on',
    'your (?:ip|browser|connection|access) (?:has been|is|was)': 'Your access has been limited',
    'you have been blocked': 'Sorry, you have been blocked',
    'security (?:service|solution) to protect': 'This site uses a security service to protect itself',
    'performing security': 'site.example is performing security verification',
    'browser will redirect': 'The browser will redirect to what you asked for',
    'redirected (?:shortly|automatically)': 'You will be redirected shortly',
  },
  (texts) => String.raw`(?<!\p{L})(?:${texts})(?!\p{L})`,
);

/** What challenges give visitors to complain with. */
export const CHALLENGE_NUMBERS = patterns(
  {
    'ray id': 'Ray ID: 8d2f9e1b7c',
    'incident id': 'Incident ID: 718000430',
    'support id': 'Your support ID is 9382',
    'reference (?:id|#)': 'Reference #18.2d351ab8.1557333295.a4e16ab',
    'error 10\\d\\d': 'Error 1020',
  },
  (texts) => String.raw`(?<!\p{L})(?:${texts})(?!\p{L})`,
);
