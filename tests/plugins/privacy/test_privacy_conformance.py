"""Every privacy model against the suite for plugin authors."""

from evosdc.model import PrivacyModel
from evosdc.testing import PrivacyModelConformance
from evosdc_privacy.anonymity import KAnonymity, PopulationFrequencies
from evosdc_privacy.closeness import TCloseness
from evosdc_privacy.diversity import LDiversity, PSensitivity
from evosdc_privacy.local_privacy import LocalDifferentialPrivacy
from evosdc_privacy.presence import DeltaPresence
from evosdc_privacy.reidentification import GlobalRisk, HouseholdRisk, IndividualRisk
from evosdc_privacy.special_uniques import Suda2


def conforming(cls: type[PrivacyModel]) -> type[PrivacyModelConformance]:
    return type(f"Test{cls.__name__}", (PrivacyModelConformance,), {"model": lambda self: cls(cls.Params())})


TestKAnonymity = conforming(KAnonymity)
TestPopulationFrequencies = conforming(PopulationFrequencies)
TestPSensitivity = conforming(PSensitivity)
TestLDiversity = conforming(LDiversity)
TestTCloseness = conforming(TCloseness)
TestIndividualRisk = conforming(IndividualRisk)
TestGlobalRisk = conforming(GlobalRisk)
TestHouseholdRisk = conforming(HouseholdRisk)
TestSuda2 = conforming(Suda2)
TestDeltaPresence = conforming(DeltaPresence)
TestLocalDifferentialPrivacy = conforming(LocalDifferentialPrivacy)
