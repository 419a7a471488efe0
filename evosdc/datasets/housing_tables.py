"""Labels and integer weights of the made-up housing survey.

Weights are relative frequencies by row. The rows of a table belong to the groups named in its comment; a household
falls into one group by its latent region or by an attribute drawn before.
"""


def _labels(text: str) -> tuple[str, ...]:
    return tuple(text.split("|"))


REGIONS = (20, 24, 36, 20)  # northeast, midwest, south, west

BUILT = _labels(
    "before 1920|1920-1929|1930-1939|1940-1944|1945-1949|1950-1954|1955-1959|1960-1964|1965-1969|"
    "1970-1974|1975-1978|1979|1980|1981|1982|1983|1984|1985|1986|1987|1988|1989|1990|1991|1992"
)
DEGREE = _labels("under 1000|1000-1999|2000-2999|3000-3999|4000-4999|5000-5999|6000-6999|7000 or more")
GRADE1 = _labels(
    "no school|kindergarten|grade 1|grade 2|grade 3|grade 4|grade 5|grade 6|grade 7|grade 8|grade 9|"
    "grade 10|grade 11|grade 12|some college|vocational degree|associate degree|bachelor degree|"
    "master degree|professional degree|doctorate"
)
METRO = _labels(
    "central city over 1000000|central city 250000-1000000|central city under 250000|suburb over 1000000|"
    "suburb 250000-1000000|suburb under 250000|urban outside metropolitan area|"
    "rural outside metropolitan area|farm"
)
SCH = _labels("adequate|inadequate but bearable|inadequate|inadequate and wish to move|no child at school|unknown")
SHP = _labels("adequate|inadequate but bearable|inadequate|inadequate and wish to move|none in reach|unknown")
TRAN1 = _labels("car alone|car pool|bus|streetcar|subway|railroad|ferry|taxi|motorcycle|bicycle|on foot|at home")
WFUEL = _labels("electricity|piped gas|bottled gas|fuel oil|kerosene|coal|wood|solar|other")
WHYMOVE = _labels(
    "private displacement|government displacement|disaster|new job|job transfer|closer to work or school|"
    "other employment|own household|larger dwelling|married|widowed or divorced|other family|"
    "better dwelling|from rent to own|from own to rent|lower cost|other housing|other"
)
WHYTOH = _labels(
    "price|rent|room layout|kitchen|size|exterior|yard|quality of construction|only one available|view|"
    "garage|familiar|other"
)
WHYTON = _labels(
    "close to job|close to friends|close to leisure|public transport|schools|services|looks|house|cost|"
    "safety|climate|familiar|other"
)

# Rows: region.
METRO_BY_REGION = (
    (18, 6, 5, 30, 12, 8, 8, 10, 0),
    (11, 8, 7, 18, 10, 8, 16, 20, 0),
    (7, 9, 9, 13, 11, 11, 15, 25, 0),
    (14, 10, 7, 24, 13, 9, 12, 11, 0),
)
DEGREE_BY_REGION = (
    (0, 0, 0, 3, 22, 48, 22, 5),
    (0, 0, 0, 2, 14, 30, 34, 20),
    (20, 24, 22, 18, 12, 3, 1, 0),
    (6, 30, 26, 10, 10, 10, 6, 2),
)
# Rows: degree days under 3000, 3000-4999, 5000 and more. Cold places are the old ones.
BUILT_BY_DEGREE = (
    (30, 28, 30, 18, 34, 66, 72, 74, 80, 124, 108, 32, 34, 30, 24, 30, 38, 40, 38, 34, 28, 24, 20, 14, 12),
    (72, 56, 48, 26, 44, 72, 72, 70, 76, 104, 84, 26, 24, 20, 14, 18, 22, 26, 26, 24, 22, 20, 16, 12, 10),
    (196, 104, 62, 28, 50, 82, 80, 68, 64, 80, 58, 18, 14, 10, 7, 9, 11, 14, 16, 16, 15, 13, 11, 9, 8),
)
# Rows: built before 1950, 1950-1969, 1970-1982, 1983 and later; then the factor in percent by region.
WFUEL_BY_BUILT = (
    (22, 56, 7, 15, 0, 0, 0, 0, 2),
    (28, 56, 5, 10, 0, 0, 0, 0, 1),
    (52, 36, 6, 5, 0, 0, 0, 0, 1),
    (48, 43, 6, 2, 0, 0, 0, 0, 1),
)
WFUEL_FACTOR_BY_REGION = (
    (70, 80, 70, 400, 100, 0, 100, 100, 150),
    (75, 130, 120, 15, 100, 0, 100, 100, 80),
    (150, 70, 150, 15, 100, 0, 100, 100, 100),
    (80, 135, 80, 5, 100, 0, 100, 100, 100),
)
# Rows: region; the south and the oldest towns hold more of the least schooled.
GRADE1_BY_REGION = (
    (0, 0, 1, 2, 4, 5, 6, 10, 12, 34, 24, 34, 36, 340, 160, 34, 46, 150, 66, 20, 12),
    (0, 0, 1, 1, 3, 4, 5, 9, 12, 46, 26, 36, 40, 370, 175, 40, 48, 122, 46, 12, 8),
    (0, 0, 3, 4, 8, 10, 11, 18, 22, 44, 38, 50, 52, 330, 160, 34, 38, 116, 42, 12, 8),
    (0, 0, 2, 3, 6, 6, 7, 14, 10, 26, 24, 32, 38, 290, 216, 44, 58, 140, 56, 18, 12),
)
# Rows: schooling below grade 12, grade 12, some college, bachelor and above; then the factor in percent by metro.
TRAN1_BY_GRADE1 = (
    (480, 260, 80, 0, 20, 4, 0, 0, 0, 16, 110, 16),
    (650, 165, 36, 0, 20, 10, 0, 0, 0, 10, 40, 26),
    (710, 115, 24, 0, 26, 18, 0, 0, 0, 14, 30, 36),
    (690, 62, 18, 0, 60, 60, 0, 0, 0, 20, 26, 90),
)
TRAN1_FACTOR_BY_METRO = (
    (70, 90, 300, 0, 400, 120, 100, 100, 100, 120, 180, 90),
    (95, 100, 170, 0, 50, 20, 100, 100, 100, 130, 140, 90),
    (100, 100, 90, 0, 10, 10, 100, 100, 100, 150, 130, 90),
    (100, 95, 70, 0, 90, 260, 100, 100, 100, 70, 60, 100),
    (110, 100, 40, 0, 15, 70, 100, 100, 100, 80, 60, 100),
    (112, 105, 25, 0, 5, 25, 100, 100, 100, 70, 70, 105),
    (106, 105, 15, 0, 2, 5, 100, 100, 100, 120, 170, 110),
    (105, 125, 8, 0, 1, 5, 100, 100, 100, 30, 90, 190),
    (60, 60, 5, 0, 1, 1, 100, 100, 100, 20, 150, 900),
)
# Rows: central city, suburb, outside metropolitan areas.
SCH_BY_METRO = ((210, 36, 44, 0, 660, 50), (310, 16, 14, 0, 630, 30), (330, 22, 16, 0, 610, 22))
SHP_BY_METRO = ((790, 70, 66, 0, 40, 34), (850, 62, 50, 0, 18, 20), (700, 100, 86, 0, 90, 24))
# Rows: built before 1950, 1950-1969, 1970-1982, 1983 and later.
WHYMOVE_BY_BUILT = (
    (34, 0, 0, 80, 34, 90, 22, 120, 120, 50, 60, 70, 72, 60, 16, 90, 60, 70),
    (30, 0, 0, 84, 44, 78, 20, 100, 130, 56, 56, 76, 80, 90, 18, 76, 60, 70),
    (24, 0, 0, 96, 60, 84, 22, 92, 110, 52, 52, 60, 84, 100, 20, 64, 60, 66),
    (12, 0, 0, 96, 84, 64, 16, 56, 150, 60, 40, 50, 130, 200, 16, 36, 66, 50),
)
# Rows: moved for work, for the family, for the dwelling, for cost, because they had to or otherwise.
WHYTOH_BY_WHYMOVE = (
    (180, 160, 110, 14, 130, 60, 50, 60, 90, 20, 14, 30, 82),
    (220, 150, 110, 12, 130, 50, 60, 40, 56, 16, 12, 60, 84),
    (170, 30, 190, 26, 230, 80, 90, 90, 12, 30, 24, 14, 60),
    (420, 330, 50, 10, 60, 14, 24, 14, 40, 10, 10, 20, 50),
    (170, 200, 80, 10, 90, 40, 40, 30, 190, 14, 10, 50, 120),
)
WHYTON_BY_WHYMOVE = (
    (430, 60, 24, 36, 70, 14, 90, 80, 60, 24, 10, 0, 90),
    (130, 270, 30, 24, 80, 18, 100, 130, 90, 24, 14, 0, 90),
    (100, 80, 40, 14, 140, 16, 190, 270, 60, 40, 12, 0, 70),
    (120, 90, 24, 40, 50, 16, 60, 150, 340, 20, 10, 0, 80),
    (140, 150, 24, 30, 70, 20, 80, 110, 130, 24, 10, 0, 190),
)
# Rows: moved for work, for the family, for the dwelling, for cost, otherwise; in percent, by the reason for the house
# price, rent, layout, kitchen, size, exterior, yard, construction, only one, view, garage, familiar, other.
WHYTON_FACTOR_BY_WHYTOH = (
    (100, 100, 100, 100, 100, 70, 100, 110, 260, 100, 100, 100, 100),
    (110, 110, 100, 120, 90, 70, 70, 70, 330, 80, 90, 100, 110),
    (90, 90, 110, 70, 130, 130, 120, 220, 60, 110, 100, 100, 90),
    (90, 90, 110, 70, 110, 120, 110, 240, 70, 110, 100, 100, 90),
    (90, 100, 100, 80, 140, 110, 110, 170, 90, 110, 100, 100, 90),
    (80, 90, 120, 60, 110, 130, 330, 140, 50, 120, 120, 100, 90),
    (80, 100, 140, 60, 140, 130, 160, 140, 70, 140, 120, 100, 90),
    (90, 90, 110, 70, 110, 120, 160, 220, 60, 130, 100, 100, 90),
    (130, 110, 80, 120, 80, 90, 50, 60, 130, 70, 90, 100, 170),
    (70, 90, 260, 60, 80, 90, 300, 110, 50, 130, 260, 100, 100),
    (100, 100, 100, 70, 110, 110, 110, 180, 80, 130, 100, 100, 100),
    (90, 330, 90, 100, 90, 110, 90, 80, 80, 110, 90, 100, 130),
    (100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 200),
)

# Rare categories, each with its exact number of records in a thousand, whatever the draw.
RARE = (
    ("metro", "farm", 4),
    ("sch", "inadequate and wish to move", 5),
    ("shp", "inadequate and wish to move", 3),
    ("tran1", "ferry", 1),
    ("tran1", "taxi", 2),
    ("tran1", "motorcycle", 4),
    ("wfuel", "kerosene", 2),
    ("wfuel", "wood", 3),
    ("wfuel", "solar", 4),
    ("whymove", "government displacement", 4),
    ("whymove", "disaster", 2),
    ("whyton", "familiar", 5),
    ("grade1", "no school", 2),
    ("grade1", "kindergarten", 1),
)
