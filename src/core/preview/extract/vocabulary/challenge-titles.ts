import { wholeTexts } from './vocabulary.js';

/** Titles and the words they are compared with have no dots at the end and straight apostrophes. */
function plainTitle(title: string): string {
  return title
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[.…]{1,5}$/, '')
    .trimEnd();
}

/** Said by pages that tell people from programs, and by hardly any other. */
export const CHALLENGE_TITLES = wholeTexts(
  {
    'attention required! | cloudflare': 'Attention Required! | Cloudflare',
    'please wait... | cloudflare': 'Please Wait... | Cloudflare',
    'checking your browser before accessing': 'Checking your browser before accessing',
    'checking your browser': 'Checking your browser...',
    'checking your browser - recaptcha': 'Checking your browser - reCAPTCHA',
    'access to this page has been denied': 'Access to this page has been denied.',
    'are you a robot?': 'Are you a robot?',
    'are you human?': 'Are you human?',
    'robot or human?': 'Robot or human?',
    'robot check': 'Robot Check',
    'bot verification': 'Bot Verification',
    'client challenge': 'Client Challenge',
    "making sure you're not a bot!": 'Making sure you’re not a bot!',
    'human verification': 'Human Verification',
    'verifying you are human': 'Verifying you are human...',
    "let's confirm you are human": 'Let’s confirm you are human',
    'prove your humanity': 'Prove your humanity',
    'pardon our interruption': 'Pardon Our Interruption...',
    'vercel security checkpoint': 'Vercel Security Checkpoint',
    'radware captcha page': 'Radware Captcha Page',
    'radware bot manager captcha': 'Radware Bot Manager Captcha',
    'request unsuccessful': 'Request unsuccessful.',
    百度安全验证: '百度安全验证',
    滑动验证页面: '滑动验证页面',
    人机验证: '人机验证',
  },
  plainTitle,
);

/** Of a challenge only with dots behind them: people write the words without. */
export const DOTTED_TITLES = wholeTexts(
  {
    'just a moment': 'Just a moment...',
    'one moment, please': 'One moment, please...',
    'einen moment': 'Einen Moment…',
    'un instant': 'Un instant...',
    'un momento': 'Un momento…',
    'um momento': 'Um momento…',
    'een ogenblik geduld': 'Een ogenblik geduld...',
    'один момент': 'Один момент…',
    'bir dakika lütfen': 'Bir dakika lütfen...',
    cierpliwości: 'Cierpliwości...',
    しばらくお待ちください: 'しばらくお待ちください...',
    请稍候: '请稍候…',
    請稍候: '請稍候...',
    '잠시만 기다리십시오': '잠시만 기다리십시오…',
  },
  plainTitle,
);

/** Films, songs and articles are called so, too. */
export const POSSIBLE_TITLES = wholeTexts(
  {
    'attention required!': 'Attention Required!',
    'please wait': 'Please wait...',
    'access denied': 'Access Denied',
    'security check': 'Security Check',
    'security verification': 'Security Verification',
    'verification required': 'Verification Required',
    'your browser is not supported': 'Your browser is not supported',
    'you have been blocked': 'You have been blocked',
    blocked: 'Blocked',
    forbidden: 'Forbidden',
    '403 forbidden': '403 Forbidden',
    'too many requests': 'Too Many Requests',
    'ddos-guard': 'DDoS-Guard',
    'javascript is not available': 'JavaScript is not available.',
    captcha: 'Captcha',
    'unusual traffic': 'Unusual traffic',
    'validation request': 'Validation request',
    安全验证: '安全验证',
    访问验证: '访问验证',
    验证码: '验证码',
  },
  plainTitle,
);
